//! The words of agents: enums with the exact names that rows and the wire have.

/// Defines an enum whose variants have a word each.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$what])* $variant,)*
        }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word of rows and of the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Reads the word. `None` if it is none of them.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

words! {
    /// Where an agent is in its life. The order is the precedence of concurrent writes (G-32).
    AgentLifecycle {
        /// It was made and has not begun.
        Created = "created",
        /// It wakes.
        Active = "active",
        /// A person paused it.
        Dormant = "dormant",
        /// It is gone for good; its history stays.
        Destroyed = "destroyed",
    }

    /// What may start a run of an agent.
    AgentInteractionMode {
        /// Changes and schedules.
        Autonomous = "autonomous",
        /// A person.
        Interactive = "interactive",
        /// Both.
        Hybrid = "hybrid",
    }

    /// What an agent does at this moment, as its process knows it.
    AgentRunStatus {
        /// Nothing.
        Idle = "idle",
        /// A wake waits.
        Queued = "queued",
        /// A run is on.
        Running = "running",
        /// The last run failed.
        Failed = "failed",
    }

    /// What a message of an agent's log is.
    AgentMessageKind {
        /// What it saw.
        Observation = "observation",
        /// What a person said.
        User = "user",
        /// What it thought.
        Thought = "thought",
        /// What it did.
        Action = "action",
        /// What came of an action.
        ToolResult = "toolResult",
        /// What earlier messages say, in short.
        Summary = "summary",
        /// What this program noted.
        System = "system",
    }

    /// Where a version of a persona is in its life.
    AgentPersonaStatus {
        /// It was proposed.
        Draft = "draft",
        /// It is in use.
        Active = "active",
        /// It was in use.
        Archived = "archived",
    }

    /// Where a question to a person is in its life.
    AgentPromptItemState {
        /// It waits for an answer.
        Open = "open",
        /// It has one.
        Answered = "answered",
        /// Its time is over.
        Expired = "expired",
    }

    /// How a person answers a question.
    AgentInteractionType {
        /// By yes or no.
        YesNo = "yesNo",
        /// By one of several.
        MultiChoice = "multiChoice",
        /// In words.
        FreeText = "freeText",
        /// By voice.
        Audio = "audio",
    }

    /// What an orchestrator decides about a signal.
    AttentionDecisionAction {
        /// Later.
        Defer = "defer",
        /// Tell the person.
        Notify = "notify",
        /// Tell the person at once.
        Escalate = "escalate",
        /// Run the agent.
        RunNow = "runNow",
        /// Propose a pause.
        PauseCandidate = "pauseCandidate",
    }

    /// What a creative artifact is.
    CreativeArtifactMediaType {
        /// A picture.
        Image = "image",
        /// A film.
        Video = "video",
    }

    /// Whether a rebuild writes.
    AgentRebuildMode {
        /// It reports what it would write.
        DryRun = "dryRun",
        /// It writes.
        Execute = "execute",
    }

    /// Where a rebuild is in its life.
    AgentRebuildJobStatus {
        /// It waits.
        Queued = "queued",
        /// It is on.
        Running = "running",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// A person ended it.
        Canceled = "canceled",
    }

    /// What an agent may touch.
    AgentCapability {
        /// Read categories.
        CategoryRead = "categoryRead",
        /// Read tasks.
        TaskRead = "taskRead",
        /// Change tasks.
        TaskWrite = "taskWrite",
        /// Change checklists.
        ChecklistWrite = "checklistWrite",
        /// Change times.
        TimeWrite = "timeWrite",
        /// Read plans of days.
        DayPlanRead = "dayPlanRead",
        /// Change plans of days.
        DayPlanWrite = "dayPlanWrite",
        /// Read ratings.
        RatingRead = "ratingRead",
        /// Change ratings.
        RatingWrite = "ratingWrite",
    }

    /// Why an agent wakes.
    AgentWakeReason {
        /// Something changed that it waits for.
        Subscription = "subscription",
        /// Its schedule says so.
        Timer = "timer",
        /// A person speaks to it.
        UserInitiated = "userInitiated",
        /// It missed what would have woken it.
        RecoveryCatchup = "recoveryCatchup",
        /// A person asked for a run.
        Manual = "manual",
    }

    /// Which time a report is about.
    ReportScope {
        /// Now.
        Current = "current",
        /// A day.
        Daily = "daily",
        /// A week.
        Weekly = "weekly",
        /// A month.
        Monthly = "monthly",
    }

    /// What an edge between two records of an agent says.
    LinkRelation {
        /// From an agent to its state.
        AgentState = "agent_state",
        /// From an agent to the newest message of its log.
        AgentHead = "agent_head",
        /// From a message to the one before it.
        MessagePrev = "message_prev",
        /// From a message to what it says at length.
        MessagePayload = "message_payload",
        /// From a summary to the first message of its span.
        SummaryStart = "summary_start",
        /// From a summary to the last message of its span.
        SummaryEnd = "summary_end",
        /// From an agent to the pointer to its newest report.
        AgentReportHead = "agent_report_head",
        /// From a report to the messages that it is made of.
        ReportSourceSpan = "report_source_span",
        /// From the result of a tool to what the tool changed.
        ToolEffect = "tool_effect",
    }

    /// Where a wake is, from its first mention to its end (Z-5).
    WakeRunStatus {
        /// It waits.
        Queued = "queued",
        /// A worker has it.
        Started = "started",
        /// It failed and is tried again.
        FailedRetryable = "failed_retryable",
        /// It is done.
        Completed = "completed",
        /// The agent slept; what it missed is carried to the end of its sleep.
        SkippedSleeping = "skipped_sleeping",
        /// The agent is gone.
        SkippedDestroyed = "skipped_destroyed",
        /// It failed for good.
        FailedTerminal = "failed_terminal",
        /// A person or a switch ended it.
        Canceled = "canceled",
        /// Another run did its work.
        Superseded = "superseded",
    }
}

impl WakeRunStatus {
    /// Whether nothing is run under this key any more.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Started | Self::FailedRetryable => false,
            Self::Completed
            | Self::SkippedSleeping
            | Self::SkippedDestroyed
            | Self::FailedTerminal
            | Self::Canceled
            | Self::Superseded => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = include_str!("../../../docs/spec/agents.md");

    /// The text of a line of the specification.
    fn line(id: &str) -> &'static str {
        let start = format!("- {id} ");
        SPEC.lines().find_map(|line| line.strip_prefix(start.as_str())).expect("the line is there")
    }

    fn joined(words: impl IntoIterator<Item = &'static str>, between: &str) -> String {
        words.into_iter().collect::<Vec<_>>().join(between)
    }

    #[test] // spec
    fn every_enum_has_the_words_of_its_line() {
        macro_rules! check {
            ($($id:literal: $($name:ident),*;)*) => {$($(
                let words = joined($name::ALL.iter().map(|value| value.as_str()), ", ");
                let expected = format!("`{} {{ {words} }}`", stringify!($name));
                assert!(line($id).contains(&expected), "{}: no {expected}", $id);
                for value in $name::ALL {
                    assert_eq!($name::parse(value.as_str()), Some(*value));
                }
                assert_eq!($name::parse("another"), None);
            )*)*};
        }
        check! {
            "A-10": AgentLifecycle, AgentInteractionMode, AgentRunStatus;
            "A-11": AgentMessageKind;
            "A-12": AgentPersonaStatus, AgentPromptItemState, AgentInteractionType;
            "A-13": AttentionDecisionAction, CreativeArtifactMediaType;
            "A-14": AgentRebuildMode, AgentRebuildJobStatus;
            "A-15": AgentCapability;
            "A-16": AgentWakeReason;
        }
    }

    #[test] // spec: Z-5
    fn a_run_has_the_states_that_were_decided() {
        let words = |is_terminal| {
            let states = WakeRunStatus::ALL.iter().filter(|status| status.is_terminal() == is_terminal);
            joined(states.map(|status| status.as_str()), ", ")
        };
        let decided = line("Z-5");
        assert!(decided.contains(&format!("Non-terminal: `{}`.", words(false))));
        assert!(decided.contains(&format!("Terminal: `{}`.", words(true))));
    }

    #[test]
    fn the_relations_of_links_and_the_scopes_of_reports_are_those_of_their_lines() {
        let scopes = joined(ReportScope::ALL.iter().map(|scope| scope.as_str()), "|");
        assert!(line("A-28").contains(&format!("scope ∈ {scopes}")));
        for relation in LinkRelation::ALL {
            assert!(line("A-44").contains(relation.as_str()), "{relation}");
        }
    }
}
