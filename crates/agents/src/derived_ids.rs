//! Ids that follow from the row they are of (C-10, C-20, C-21): a row that is written again, on replay, backfill or another
//! device, is the same row.

use crate::canonical::{CanonicalDigest, HashInput};
use crate::canonical_json::CanonicalJson;
use crate::ids::{DerivedRowId, OperationId, RunKey};
use crate::vocabulary::AttentionDecisionAction;
use brainstem_base::AgentId;

/// What makes a decision of an orchestrator the same decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionDecisionKey {
    /// The agent that decides.
    pub orchestrator_agent_id: AgentId,
    /// The agent that it is about.
    pub target_agent_id: AgentId,
    /// The signal that it answers.
    pub signal_id: String,
    /// The policy that it follows.
    pub policy_version: String,
    /// What was decided.
    pub action: AttentionDecisionAction,
}

impl AttentionDecisionKey {
    /// The id of the decision.
    pub fn id(&self) -> DerivedRowId {
        let input = HashInput::new("attention-decision.1").text(self.orchestrator_agent_id.as_str());
        let input = input.text(self.target_agent_id.as_str()).text(&self.signal_id);
        input.text(&self.policy_version).text(self.action.as_str()).digest().into()
    }
}

/// What makes an answer to a question the same answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptResponseKey {
    /// The question.
    pub prompt_item_id: String,
    /// The answer.
    pub answer: PromptAnswer,
}

/// Where an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptAnswer {
    /// It is an entry of its own.
    Entry(String),
    /// It is in the row.
    Response(CanonicalJson),
}

impl PromptResponseKey {
    /// The id of the answer.
    pub fn id(&self) -> DerivedRowId {
        let input = HashInput::new("prompt-response.1").text(&self.prompt_item_id);
        let input = match &self.answer {
            PromptAnswer::Entry(entry) => input.text(entry),
            PromptAnswer::Response(response) => input.json(response),
        };
        input.digest().into()
    }
}

/// What makes a feedback on an artifact the same feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreativeFeedbackKey {
    /// The agent that made the artifact.
    pub agent_id: AgentId,
    /// The artifact.
    pub artifact_id: String,
    /// Where the feedback came from.
    pub feedback_source_ref: String,
}

impl CreativeFeedbackKey {
    /// The id of the feedback.
    pub fn id(&self) -> DerivedRowId {
        let input = HashInput::new("creative-feedback.1").text(self.agent_id.as_str());
        input.text(&self.artifact_id).text(&self.feedback_source_ref).digest().into()
    }
}

/// What makes a checkpoint of a rebuild the same checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebuildCheckpointKey {
    /// The rebuild.
    pub job_id: String,
    /// The step.
    pub step_key: String,
    /// How far the step has come.
    pub cursor_ref: String,
}

impl RebuildCheckpointKey {
    /// The id of the checkpoint.
    pub fn id(&self) -> DerivedRowId {
        let input = HashInput::new("rebuild-checkpoint.1").text(&self.job_id);
        input.text(&self.step_key).text(&self.cursor_ref).digest().into()
    }
}

/// What an action means to do, apart from when and where in its plan it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionIntent {
    /// The tool.
    pub tool_name: String,
    /// Its arguments, without `operationId` (Z-31).
    pub arguments: CanonicalJson,
    /// The categories that it may touch, sorted.
    pub scope: Vec<String>,
    /// The entities that it is aimed at, sorted.
    pub targets: Vec<String>,
    /// Which one it is of equal actions that a plan means to do several times.
    pub occurrence: u64,
}

impl ActionIntent {
    /// The stable id of the action: the same for the same intent, wherever in the plan it is.
    pub fn stable_id(&self) -> CanonicalDigest {
        let input = HashInput::new("action.1").text(&self.tool_name).json(&self.arguments);
        let input = input.texts(self.scope.iter().map(String::as_str));
        input.texts(self.targets.iter().map(String::as_str)).number(self.occurrence).digest()
    }

    /// The id of its effect in a run.
    pub fn operation_id(&self, run: RunKey) -> OperationId {
        let input = HashInput::new("operation.1").text(&run.to_string());
        input.text(&self.stable_id().to_string()).digest().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    fn agent(name: &str) -> AgentId {
        AgentId::parse(name).expect("an id")
    }

    /// Whether every one of these has an id of its own.
    fn are_all_different<T: Ord>(ids: impl IntoIterator<Item = T>, count: usize) -> bool {
        ids.into_iter().collect::<BTreeSet<_>>().len() == count
    }

    #[test]
    fn every_field_of_a_key_is_in_its_id() {
        let decision = AttentionDecisionKey {
            orchestrator_agent_id: agent("a"),
            target_agent_id: agent("b"),
            signal_id: "s".to_owned(),
            policy_version: "1".to_owned(),
            action: AttentionDecisionAction::Defer,
        };
        let decisions = [
            decision.clone(),
            AttentionDecisionKey { orchestrator_agent_id: agent("b"), ..decision.clone() },
            AttentionDecisionKey { target_agent_id: agent("a"), ..decision.clone() },
            AttentionDecisionKey {
                signal_id: "s1".to_owned(),
                policy_version: String::new(),
                ..decision.clone()
            },
            AttentionDecisionKey { policy_version: "2".to_owned(), ..decision.clone() },
            AttentionDecisionKey { action: AttentionDecisionAction::Notify, ..decision.clone() },
        ];
        assert_eq!(decision.id(), decision.clone().id());
        assert!(are_all_different(decisions.iter().map(AttentionDecisionKey::id), 6));

        let response = |value| PromptAnswer::Response(CanonicalJson::of(&value).expect("canonical"));
        let answers = [
            response(json!("yes")),
            response(json!({ "yes": true })),
            PromptAnswer::Entry("yes".to_owned()),
            PromptAnswer::Entry("\"yes\"".to_owned()),
        ];
        let answer = |answer| PromptResponseKey { prompt_item_id: "p".to_owned(), answer };
        assert!(are_all_different(answers.map(|given| answer(given).id()), 4));
        let reordered = |text| answer(response(serde_json::from_str(text).expect("JSON"))).id();
        assert_eq!(reordered(r#"{"a":1,"b":2.0}"#), reordered(r#"{ "b": 2, "a": 1 }"#));

        let feedback = |agent_id: &str, artifact: &str, source: &str| CreativeFeedbackKey {
            agent_id: agent(agent_id),
            artifact_id: artifact.to_owned(),
            feedback_source_ref: source.to_owned(),
        };
        let feedbacks = [feedback("a", "b", "c"), feedback("a", "bc", ""), feedback("ab", "", "c")];
        assert!(are_all_different(feedbacks.iter().map(CreativeFeedbackKey::id), 3));

        let checkpoint = |job: &str, step: &str, cursor: &str| RebuildCheckpointKey {
            job_id: job.to_owned(),
            step_key: step.to_owned(),
            cursor_ref: cursor.to_owned(),
        };
        let checkpoints = [checkpoint("a", "b", "c"), checkpoint("ab", "", "c"), checkpoint("a", "b", "d")];
        assert!(are_all_different(checkpoints.iter().map(RebuildCheckpointKey::id), 3));
    }

    #[test] // spec: C-21, T-25
    fn an_effect_is_known_by_its_run_and_its_intent_and_never_by_its_place() {
        let run = |n| RunKey::from(HashInput::new("test.1").number(n).digest());
        let intent = ActionIntent {
            tool_name: "create_task".to_owned(),
            arguments: CanonicalJson::of(&json!({ "title": "x" })).expect("canonical"),
            scope: vec!["gym".to_owned()],
            targets: vec!["t1".to_owned()],
            occurrence: 0,
        };
        let intents = [
            intent.clone(),
            ActionIntent { tool_name: "create".to_owned(), ..intent.clone() },
            ActionIntent { arguments: CanonicalJson::of(&json!({})).expect("canonical"), ..intent.clone() },
            ActionIntent {
                scope: vec![],
                targets: vec!["gym".to_owned(), "t1".to_owned()],
                ..intent.clone()
            },
            ActionIntent { targets: vec![], ..intent.clone() },
            ActionIntent { occurrence: 1, ..intent.clone() },
        ];
        assert!(are_all_different(intents.iter().map(|intent| intent.operation_id(run(1))), 6));
        assert_ne!(intent.operation_id(run(1)), intent.operation_id(run(2)));
        assert_eq!(intent.operation_id(run(1)), intents[0].operation_id(run(1)));
    }
}
