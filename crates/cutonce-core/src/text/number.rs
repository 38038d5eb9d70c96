//! Formats numbers for people.

/// Formats with thousands separators: `12,345`.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with its noun: `1 file`, `2 files`.
pub fn count_noun(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", group_digits(count as u64), if count == 1 { "" } else { "s" })
}

/// Formats an amount with its cents, and with what is below a cent: `$0.50`, `$0.017`.
pub fn dollars(amount: f64) -> String {
    let exact = format!("${amount:.4}");
    let cents = exact.len().saturating_sub(2);
    let shown = exact.trim_end_matches('0').len().max(cents);
    exact.get(..shown).unwrap_or(&exact).to_string()
}

/// Tokens and cost in one line.
pub fn describe_usage(sent: u64, received: u64, cost: f64) -> String {
    format!("{} tokens sent, {} received, ${cost:.4}", group_digits(sent), group_digits(received))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_3_numbers_have_thousands_separators() {
        assert_eq!(describe_usage(1_234_567, 999, 0.5), "1,234,567 tokens sent, 999 received, $0.5000");
        assert_eq!(group_digits(1_000), "1,000");
        assert_eq!([0.5, 0.017, 12.0, 0.00004].map(dollars), ["$0.50", "$0.017", "$12.00", "$0.00"]);
    }
}
