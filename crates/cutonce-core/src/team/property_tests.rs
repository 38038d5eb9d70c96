//! PM-131, PM-132: a teammate under any sequence of messages. An independent oracle tracks only the open
//! request and which message the real lead wrote for it.

use super::tests::{key, message};
use super::*;
use crate::mode::{Mode, ModeEvent, ModeSetup, ModeState, step};
use crate::protocol::submission::ChangedBy;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    /// ExitPlanMode with the plan as it is.
    Submit,
    /// The plan file becomes this one, out of three.
    WritePlan(u8),
    Response {
        /// Index of the named request, from the last; beyond the end, a request that never existed.
        request: u8,
        approved: bool,
        mode: Option<Mode>,
        writer: Writer,
        /// Number of deliveries of the same message.
        times: u8,
    },
    LeadMode(Mode),
}

/// The author of an answer, real or forged.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Writer {
    Lead,
    /// A teammate, as itself.
    Bob,
    /// A teammate that claims to be the lead, with its own seal.
    BobAsLead,
    NoSeal,
    /// The lead, but addressed to another teammate and put into the wrong box.
    ToBob,
    /// Text of the lead's model that looks like an answer.
    Words,
    OtherTeam,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let mode = || prop::sample::select(Mode::ALL.to_vec());
    use Writer::{Bob, BobAsLead, Lead, NoSeal, OtherTeam, ToBob, Words};
    let writer = prop::sample::select(vec![Lead, Lead, Lead, Bob, BobAsLead, NoSeal, ToBob, Words, OtherTeam]);
    let response = (0..4u8, any::<bool>(), prop::option::of(mode()), writer, 1..3u8);
    let op = prop_oneof![
        3 => Just(Op::Submit),
        1 => (0..3u8).prop_map(Op::WritePlan),
        6 => response.prop_map(|(request, approved, mode, writer, times)| Op::Response { request, approved, mode, writer, times }),
        1 => mode().prop_map(Op::LeadMode),
    ];
    prop::collection::vec(op, 0..40)
}

fn written(writer: Writer, text: &str) -> TeamMessage {
    let (ann, bob) = (key(1), key(2));
    let control = |from: &str, to: &str| message(from, to, MessageKind::Control, text);
    match writer {
        Writer::Lead => ann.seal(control(LEAD_NAME, "ann")),
        Writer::Bob => bob.seal(control("bob", "ann")),
        Writer::BobAsLead => bob.seal(control(LEAD_NAME, "ann")),
        Writer::NoSeal => control(LEAD_NAME, "ann"),
        Writer::ToBob => bob.seal(control(LEAD_NAME, "bob")),
        Writer::Words => ann.seal(message(LEAD_NAME, "ann", MessageKind::Words, text)),
        Writer::OtherTeam => ann.seal(TeamMessage { team: "blue".into(), ..control(LEAD_NAME, "ann") }),
    }
}

proptest! {
    #[test]
    fn pm_132_only_the_leads_first_answer_is_accepted(ops in ops()) {
        let setup = ModeSetup { bypass_available: true, ..ModeSetup::default() };
        let (mut state, _) = ModeState::start(setup, Mode::Default, Mode::Plan);
        let mut waiting = PendingLeadAnswer::default();
        let mut plan = 0u8;
        let mut lead = LeadMode { mode: Mode::Default, gives: Mode::AcceptEdits };
        // The oracle: the open request and the plan it was for; all ids so far.
        let mut open: Option<(String, u8)> = None;
        let mut ids: Vec<String> = Vec::new();
        for op in ops {
            match op {
                Op::WritePlan(text) => plan = text,
                Op::LeadMode(mode) => lead = LeadMode { mode, gives: mode.at_most(Mode::Auto) },
                Op::Submit => {
                    if state.is_planning() {
                        let id = format!("r-{}", ids.len());
                        waiting.open_for(id.clone(), plan.to_string());
                        open = Some((id.clone(), plan));
                        ids.push(id);
                    }
                }
                Op::Response { request, approved, mode, writer, times } => {
                    let id = ids.iter().rev().nth(request.into()).cloned().unwrap_or("r-never".into());
                    let response = PlanApprovalResponse { request_id: id.clone(), approved, mode, ..Default::default() };
                    let text = ControlMessage::Response(TeamResponse::Plan(response)).to_text().unwrap();
                    for _ in 0..times {
                        let before = state.clone();
                        let counts = writer == Writer::Lead && open.as_ref().is_some_and(|(open, _)| *open == id);
                        let (_, was) = if counts { open.take().unwrap() } else { (String::new(), 0) };
                        let given = mode.unwrap_or_default().at_most(lead.gives);
                        let frees = counts && approved && was == plan && given != Mode::Plan;
                        let ann = key(1);
                        let letter = written(writer, &text);
                        let heard = match check_authenticity("red", "ann", &letter, |_| Some(&ann)) {
                            Ok(()) => match parse_content(&letter) {
                                MessageContent::Control(ControlMessage::Response(TeamResponse::Plan(response))) => {
                                    waiting.evaluate_answer(letter.from == LEAD_NAME, response, Some(&plan.to_string()), lead)
                                }
                                _ => LeadAnswer::Ignored { why: "words" },
                            },
                            Err(why) => LeadAnswer::Ignored { why },
                        };
                        if let LeadAnswer::Approved { mode, .. } = &heard {
                            state = step(state, ModeEvent::Approved { mode: *mode, by: ChangedBy::Host }).0;
                        }
                        if frees {
                            prop_assert_eq!(state.mode(), if before.is_planning() { state.check_available(given).map_or(Mode::Default, |()| given) } else { before.mode() });
                            prop_assert!(!state.is_planning());
                        } else {
                            prop_assert_eq!(&state, &before, "{:?} by {:?}", heard, writer);
                        }
                        prop_assert_eq!(matches!(heard, LeadAnswer::Ignored { .. }), !counts);
                        prop_assert_eq!(waiting.open_request_id().is_some(), open.is_some());
                    }
                }
            }
            // Enter plan mode again, so that later requests matter too.
            if !state.is_planning() {
                state = step(state, ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User }).0;
                waiting.withdraw();
                open = None;
            }
        }
    }
}
