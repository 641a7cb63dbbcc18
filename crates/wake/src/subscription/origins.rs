//! Which device wakes an agent for a change, and which changes a subscription takes at all.

use crate::change::{ChangeOrigin, NotificationBatch};
use brainstem_agents::HostId;
use brainstem_base::AgentId;
use std::collections::BTreeSet;

/// The origins that a subscription takes: changes of people alone, unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginSet(BTreeSet<ChangeOrigin>);

impl Default for OriginSet {
    fn default() -> Self {
        Self([ChangeOrigin::User].into())
    }
}

impl OriginSet {
    /// These origins.
    pub fn new(origins: impl IntoIterator<Item = ChangeOrigin>) -> Self {
        Self(origins.into_iter().collect())
    }

    /// Whether it takes changes of this origin.
    pub fn has(&self, origin: ChangeOrigin) -> bool {
        self.0.contains(&origin)
    }

    /// The origins, in their order.
    pub fn iter(&self) -> impl Iterator<Item = ChangeOrigin> {
        self.0.iter().copied()
    }
}

/// The devices that an agent runs on. An agent without any runs on every device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomeHosts(BTreeSet<HostId>);

impl HomeHosts {
    /// These devices.
    pub fn new(hosts: impl IntoIterator<Item = HostId>) -> Self {
        Self(hosts.into_iter().collect())
    }

    /// Whether the agent runs on this device.
    pub fn has(&self, host: &HostId) -> bool {
        self.0.is_empty() || self.0.contains(host)
    }
}

/// Where a change wakes an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakePlace {
    /// On this device, which wrote the change.
    Here,
    /// On this device, if it gets the lease: other devices see the change too.
    HereWithLease,
    /// Not on this device: the agent does not run here, or the device that wrote the change wakes it.
    Elsewhere,
    /// Nowhere: the subscription does not take changes of this origin.
    OriginNotTaken,
    /// Nowhere: the agent's own run made the change.
    OwnEffect,
    /// Nowhere: too many runs are behind the change.
    TooDeep,
}

impl WakePlace {
    /// Decides for one agent and one of its subscriptions that matches the change.
    pub fn decide(
        batch: &NotificationBatch,
        agent: &AgentId,
        origins: &OriginSet,
        homes: &HomeHosts,
        this_host: &HostId,
        depth_max: u32,
    ) -> Self {
        if batch.agent() == Some(agent) {
            return Self::OwnEffect;
        }
        if !batch.causation().may_wake(depth_max) {
            return Self::TooDeep;
        }
        let author = batch.author();
        if !homes.has(this_host) {
            return Self::Elsewhere;
        }
        // At its author a change is a person's or an agent's. It is the same one on a device that wakes for an author at
        // which the agent does not run.
        let made_by = if batch.agent().is_some() { ChangeOrigin::Agent } else { ChangeOrigin::User };
        let is_taken = origins.has(made_by) || batch.is_addressed_to(agent);
        match (author == this_host, homes.has(author)) {
            (true, _) if is_taken => Self::Here,
            (false, false) if is_taken => Self::HereWithLease,
            (true, _) | (false, false) => Self::OriginNotTaken,
            (false, true) if origins.has(ChangeOrigin::Sync) => Self::HereWithLease,
            (false, true) => Self::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{
        Causation, ChangeUnit, CommittedChange, LocalBatchId, PayloadId, PayloadType, UnitOrigin,
    };

    fn host(name: &str) -> HostId {
        HostId::parse(name).expect("a host")
    }

    fn agent(name: &str) -> AgentId {
        AgentId::parse(name).expect("an agent")
    }

    fn change(author: &str) -> CommittedChange {
        let unit = ChangeUnit {
            origin: if author == "here" { UnitOrigin::Local } else { UnitOrigin::Sync },
            host: host(author),
            counter: 1,
            payload_type: PayloadType::parse("claim").expect("a type"),
            payload_id: PayloadId::parse("x").expect("an id"),
        };
        CommittedChange { units: vec![unit], ..CommittedChange::default() }
    }

    /// Where a change wakes `coach` on the device `here`.
    fn place(change: CommittedChange, origins: &[ChangeOrigin], homes: &[&str]) -> WakePlace {
        let batch = NotificationBatch::new(LocalBatchId(1), change).expect("provenance");
        let homes = HomeHosts::new(homes.iter().map(|name| host(name)));
        let origins = OriginSet::new(origins.iter().copied());
        WakePlace::decide(&batch, &agent("coach"), &origins, &homes, &host("here"), 4)
    }

    const USER: &[ChangeOrigin] = &[ChangeOrigin::User];

    #[test] // spec: Z-9, Z-24
    fn the_device_that_wrote_a_change_wakes_and_others_only_if_asked() {
        assert!(OriginSet::default().iter().eq([ChangeOrigin::User]));
        assert_eq!(place(change("here"), USER, &[]), WakePlace::Here);
        assert_eq!(place(change("there"), USER, &[]), WakePlace::Elsewhere);
        let with_sync = [ChangeOrigin::User, ChangeOrigin::Sync];
        assert_eq!(place(change("there"), &with_sync, &[]), WakePlace::HereWithLease);
        assert_eq!(place(change("here"), &[ChangeOrigin::Sync], &[]), WakePlace::OriginNotTaken);
    }

    #[test] // spec: Z-24a
    fn a_change_of_a_device_that_is_no_home_wakes_on_a_home_with_the_lease() {
        assert_eq!(place(change("phone"), USER, &["here", "server"]), WakePlace::HereWithLease);
        assert_eq!(place(change("phone"), USER, &["server"]), WakePlace::Elsewhere);
        assert_eq!(place(change("server"), USER, &["here", "server"]), WakePlace::Elsewhere);
        assert_eq!(place(change("here"), USER, &["server"]), WakePlace::Elsewhere);
        assert_eq!(place(change("here"), USER, &["here", "server"]), WakePlace::Here);
        assert_eq!(place(change("phone"), &[ChangeOrigin::Agent], &["here"]), WakePlace::OriginNotTaken);
    }

    #[test] // spec: B-18, Z-14
    fn what_is_addressed_to_an_agent_wakes_it_whatever_the_origins_and_its_own_effects_never_do() {
        let by = |author: &str| CommittedChange { agent: Some(agent(author)), ..change("here") };
        assert_eq!(place(by("planner"), USER, &[]), WakePlace::OriginNotTaken);
        assert_eq!(place(by("planner"), &[ChangeOrigin::Agent], &[]), WakePlace::Here);
        let to = |change| CommittedChange { addressed_to: [agent("coach")].into(), ..change };
        assert_eq!(place(to(by("planner")), USER, &[]), WakePlace::Here);
        assert_eq!(place(to(by("coach")), &ChangeOrigin::ALL, &[]), WakePlace::OwnEffect);
        let deep =
            CommittedChange { causation: Some(Causation { root: None, depth: 4 }), ..to(by("planner")) };
        assert_eq!(place(deep, USER, &[]), WakePlace::TooDeep);
    }
}
