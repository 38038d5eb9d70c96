//! `plan.network` (PM-67): hosts that commands in plan mode may reach.

use core::net::{IpAddr, Ipv6Addr};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The hosts, in the user's order; none is `"off"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "NetworkSetting", into = "NetworkSetting")]
pub struct AllowedHosts {
    pub hosts: Vec<ListedHost>,
}

/// A host by name or address. Without a port it means 80 and 443.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedHost {
    pub name: String,
    pub port: Option<u16>,
}

/// The setting as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum NetworkSetting {
    Word(String),
    Hosts(Vec<String>),
}

/// An entry that is no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidNetwork(String);

impl std::fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected \"off\" or a list of hosts such as \"crates.io\" or \"localhost:8080\", got `{}`", self.0)
    }
}

impl TryFrom<NetworkSetting> for AllowedHosts {
    type Error = InvalidNetwork;
    fn try_from(setting: NetworkSetting) -> Result<Self, InvalidNetwork> {
        let hosts = match setting {
            NetworkSetting::Word(word) if word == "off" => Vec::new(),
            NetworkSetting::Word(word) => return Err(InvalidNetwork(word)),
            NetworkSetting::Hosts(hosts) => hosts,
        };
        let hosts = hosts.into_iter().map(|host| ListedHost::parse(&host).ok_or(InvalidNetwork(host)));
        Ok(Self { hosts: hosts.collect::<Result<_, _>>()? })
    }
}

impl From<AllowedHosts> for NetworkSetting {
    fn from(network: AllowedHosts) -> Self {
        match network.hosts.is_empty() {
            true => NetworkSetting::Word("off".into()),
            false => NetworkSetting::Hosts(network.hosts.iter().map(ListedHost::to_string).collect()),
        }
    }
}

impl JsonSchema for AllowedHosts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AllowedHosts".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [{ "enum": ["off"] }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}

impl std::fmt::Display for ListedHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.port, self.name.contains(':')) {
            (None, _) => f.write_str(&self.name),
            (Some(port), false) => write!(f, "{}:{port}", self.name),
            (Some(port), true) => write!(f, "[{}]:{port}", self.name),
        }
    }
}

impl ListedHost {
    /// Reads `host`, `host:port`, `[address]:port` or an address. The name becomes lower case, without a final dot.
    /// `None` for anything else: a user name, a path, a blank, a letter that is not ASCII, an empty label, a number.
    pub fn parse(given: &str) -> Option<Self> {
        if let Ok(ip) = given.parse::<IpAddr>() {
            return Some(Self { name: ip.to_string(), port: None });
        }
        let (name, port) = match given.strip_prefix('[') {
            Some(rest) => {
                let (name, rest) = rest.split_once(']')?;
                (name.parse::<Ipv6Addr>().ok()?.to_string(), Some(rest.strip_prefix(':')?))
            }
            None => {
                let (name, port) = given.split_once(':').map_or((given, None), |(name, port)| (name, Some(port)));
                let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
                is_host_name(&name).then_some((name, port))?
            }
        };
        let number = |port: &str| match port.bytes().all(|c| c.is_ascii_digit()) {
            true => port.parse::<u16>().ok().filter(|port| *port > 0),
            false => None,
        };
        let port = match port {
            Some(port) => Some(number(port)?),
            None => None,
        };
        Some(Self { name, port })
    }
}

/// True for names and for complete IPv4 addresses. Some resolvers take any other name that ends with a number for an
/// address.
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..64).contains(&label.len()) && label.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'))
    };
    let ends_with_number = name.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()));
    let is_address = name.parse::<IpAddr>().is_ok();
    name.len() <= 253 && name.split('.').all(is_label) && (is_address || !ends_with_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_67_setting_takes_hosts_only() {
        let read = |json: serde_json::Value| serde_json::from_value::<AllowedHosts>(json);
        assert_eq!(read(serde_json::json!("off")).unwrap(), AllowedHosts::default());
        let listed =
            read(serde_json::json!(["Crates.io.", "localhost:8080", "::1", "[::1]:81", "10.1.2.3:80"])).unwrap();
        let shown: Vec<String> = listed.hosts.iter().map(ListedHost::to_string).collect();
        assert_eq!(shown, ["crates.io", "localhost:8080", "::1", "[::1]:81", "10.1.2.3:80"]);
        assert_eq!(serde_json::to_value(&listed).unwrap(), serde_json::json!(shown));
        assert_eq!(serde_json::to_value(AllowedHosts::default()).unwrap(), "off");
        for wrong in [
            "",
            "https://x.org",
            "a b",
            "x.org/y",
            "user@x.org",
            "*.x.org",
            "x.org:0",
            "x.org:99999",
            "127.1",
            "x..org",
            "ä.de",
            "0x7f.1",
        ] {
            let error = read(serde_json::json!([wrong])).unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}`")), "{error}");
        }
        assert!(read(serde_json::json!("on")).is_err() && read(serde_json::json!(7)).is_err());
    }
}
