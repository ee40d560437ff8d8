//! Decides when each domain may be asked again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::net::IpAddr;

/// Milliseconds since 1970.
pub type Time = u64;

/// The longest time for which a busy server is left alone if it does not name a time: an hour, in milliseconds.
const LONGEST_PENALTY_UNASKED: u64 = 3_600_000;

/// How long an IP address waits for an answer before another domain there is asked, in milliseconds. If the delay is
/// longer, it waits for the delay.
const LONGEST_WAIT: u64 = 1000;

/// The domains that have something to visit, by the time at which they may be asked. A domain gets one request after
/// another, and so does an IP address: at least the delay passes between the end of an answer and the next request. But
/// the crawl delay of a domain, its penalty, and its rest after a long answer hold back this domain alone. And an IP
/// address does not wait forever for an answer. `Lanes` has no clock; callers tell the time.
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: HashMap<u32, Lane>,
    /// The lanes that are not busy, by the time at which they may go. Outdated items are recognised when they come up.
    queue: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// Lanes that may go at the same time go in the order in which they came.
    order: u64,
    machines: HashMap<IpAddr, Machine>,
    /// The machine for which the last lane was called. If this lane does not ask the machine, another lane is called.
    turn: Option<IpAddr>,
    /// The least time between an answer and the next request, in milliseconds.
    delay: u64,
    /// Maximum number of answers of a machine that are waited for at the same time: slow answers must not take all
    /// threads.
    most_pending: usize,
    /// No lane goes before this time.
    begin: Time,
}

/// A domain.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// When it may be asked.
    next: Time,
    /// Its place in the queue, if it is there.
    queued: Option<(Time, u64)>,
    is_busy: bool,
    /// The machine for which it waits.
    waits: Option<IpAddr>,
    /// The machine for which this lane was called.
    called: Option<IpAddr>,
    /// The delay that its robots.txt asks for, in milliseconds.
    crawl_delay: u64,
    /// The additional time for which it is left alone because its server is busy, in milliseconds.
    penalty: u64,
}

/// An IP address.
#[derive(Debug, Default)]
struct Machine {
    next: Time,
    /// Number of answers that have not come yet.
    pending: usize,
    /// The lane that asked it last.
    last: u32,
    /// The lanes that wait until it may be asked. They are called one by one: there may be very many.
    waiting: VecDeque<u32>,
    /// The lane that was called and has not come up yet.
    called: Option<u32>,
}

impl Lanes {
    /// `delay` is the least time between an answer and the next request, in milliseconds. `threads` is the number of
    /// requests at the same time.
    pub fn new(delay: u64, threads: usize) -> Lanes {
        Lanes { delay, most_pending: (threads / 4).max(2), ..Lanes::default() }
    }

    /// Queues a lane that has something to visit, at this time at the earliest.
    pub fn wake(&mut self, lane: u32, at: Time) {
        let of_lane = self.lanes.entry(lane).or_default();
        let at = at.max(of_lane.next).max(self.begin);
        if of_lane.is_busy || of_lane.queued.is_some_and(|(queued, _)| queued <= at) {
            return;
        }
        self.order += 1;
        of_lane.queued = Some((at, self.order));
        self.queue.push(Reverse((at, self.order, lane)));
    }

    /// The time at which the next lane may go. `None` if no lane is queued.
    pub fn first_time(&mut self) -> Option<Time> {
        if let Some(ip) = self.turn.take() {
            self.call(ip);
        }
        while let Some(&Reverse((at, order, lane))) = self.queue.peek() {
            if self.lanes.get(&lane).is_some_and(|lane| lane.queued == Some((at, order))) {
                return Some(at);
            }
            self.queue.pop();
        }
        None
    }

    /// Takes out a lane that may go now.
    pub fn pop(&mut self, now: Time) -> Option<u32> {
        self.first_time().filter(|&at| at <= now)?;
        let Reverse((.., lane)) = self.queue.pop()?;
        let of_lane = self.lanes.entry(lane).or_default();
        of_lane.queued = None;
        self.turn = of_lane.called.take();
        if let Some(machine) = self.turn.and_then(|ip| self.machines.get_mut(&ip)) {
            machine.called = None;
        }
        Some(lane)
    }

    /// Calls the next lane that waits for a machine.
    fn call(&mut self, ip: IpAddr) {
        let Some(machine) = self.machines.get_mut(&ip) else { return };
        if machine.pending >= self.most_pending || machine.called.is_some() {
            return;
        }
        while let Some(lane) = machine.waiting.pop_front() {
            let of_lane = self.lanes.entry(lane).or_default();
            of_lane.waits = None;
            // A lane that is busy comes up again without being called.
            if !of_lane.is_busy {
                of_lane.called = Some(ip);
                machine.called = Some(lane);
                let at = machine.next;
                self.wake(lane, at);
                return;
            }
        }
    }

    /// Keeps a lane from coming up until it is released.
    pub fn hold(&mut self, lane: u32) {
        self.lanes.entry(lane).or_default().is_busy = true;
    }

    /// Ends [`Lanes::hold`].
    pub fn release(&mut self, lane: u32) {
        self.lanes.entry(lane).or_default().is_busy = false;
    }

    /// Lets a lane ask a machine, if that is allowed now; returns whether it may. If so, the lane is busy until
    /// [`Lanes::answered`], and the machine for a while. If not, the lane comes up again when the machine may be asked.
    pub fn may_ask(&mut self, lane: u32, ip: IpAddr, now: Time) -> bool {
        let (of_lane, machine) = (self.lanes.entry(lane).or_default(), self.machines.entry(ip).or_default());
        if machine.pending >= self.most_pending || machine.next > now {
            if of_lane.waits != Some(ip) {
                of_lane.waits = Some(ip);
                machine.waiting.push_back(lane);
            }
            self.call(ip);
            return false;
        }
        machine.pending += 1;
        machine.last = lane;
        machine.next = now + LONGEST_WAIT.max(self.delay) + self.delay;
        of_lane.is_busy = true;
        self.turn.take_if(|called| *called == ip);
        self.call(ip);
        true
    }

    /// Notes that a machine has answered a lane, or will not. `took` is the duration of the request, in milliseconds.
    pub fn answered(&mut self, lane: u32, ip: IpAddr, now: Time, took: u64) {
        let of_lane = self.lanes.entry(lane).or_default();
        of_lane.is_busy = false;
        of_lane.penalty /= 2;
        // A server that needs long for an answer gets a rest of the same length.
        let at = now + self.delay.max(of_lane.crawl_delay).max(took) + of_lane.penalty;
        of_lane.next = of_lane.next.max(at);
        let machine = self.machines.entry(ip).or_default();
        machine.pending = machine.pending.saturating_sub(1);
        // If another lane has asked the machine since, that request counts.
        if machine.last == lane {
            machine.next = machine.next.min(now + self.delay);
        }
        let next = machine.next;
        match machine.called {
            Some(called) => self.wake(called, next),
            None => self.call(ip),
        }
    }

    /// Notes that the server of a lane is busy. It is left alone until `until`, or else for twice as long as the last
    /// time. Returns the end of this time.
    pub fn is_busy(&mut self, lane: u32, now: Time, until: Option<Time>) -> Time {
        let of_lane = self.lanes.entry(lane).or_default();
        let at = until.unwrap_or_else(|| {
            // The last answer has halved the penalty.
            of_lane.penalty = (4 * of_lane.penalty).clamp(2 * self.delay.max(500), LONGEST_PENALTY_UNASKED);
            now + of_lane.penalty
        });
        of_lane.next = of_lane.next.max(at);
        of_lane.next
    }

    /// Sets the delay that the robots.txt of a lane asks for, in milliseconds. Of several hosts, the longest delay
    /// counts.
    pub fn set_crawl_delay(&mut self, lane: u32, delay: u64) {
        let of_lane = self.lanes.entry(lane).or_default();
        let more = delay.saturating_sub(of_lane.crawl_delay.max(self.delay));
        of_lane.crawl_delay = of_lane.crawl_delay.max(delay);
        of_lane.next += more;
    }

    /// Keeps all lanes from asking before this time.
    pub fn nothing_before(&mut self, at: Time) {
        self.begin = at;
    }

    /// Keeps a lane from asking before this time.
    pub fn not_before(&mut self, lane: u32, at: Time) {
        let of_lane = self.lanes.entry(lane).or_default();
        of_lane.next = of_lane.next.max(at);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, last])
    }

    #[test]
    fn a_lane_that_may_not_go_gives_way_to_one_that_may() {
        let mut lanes = Lanes::new(1000, 16);
        lanes.wake(1, 0);
        lanes.wake(2, 0);
        assert_eq!(lanes.pop(0), Some(1));
        assert!(lanes.may_ask(1, ip(1), 0));
        lanes.answered(1, ip(1), 10, 10);
        lanes.wake(1, 10);
        assert_eq!(lanes.pop(10), Some(2));
        assert!(lanes.may_ask(2, ip(2), 10));
        assert_eq!((lanes.pop(1009), lanes.first_time(), lanes.pop(1010)), (None, Some(1010), Some(1)));
    }

    #[test]
    fn lanes_of_one_machine_take_turns() {
        let mut lanes = Lanes::new(1000, 16);
        lanes.wake(1, 0);
        lanes.wake(2, 0);
        assert!(lanes.pop(0) == Some(1) && lanes.may_ask(1, ip(1), 0));
        assert!(lanes.pop(0) == Some(2) && !lanes.may_ask(2, ip(1), 0));
        assert_eq!(lanes.first_time(), Some(2000));
        lanes.answered(1, ip(1), 50, 50);
        lanes.wake(1, 50);
        assert_eq!(lanes.first_time(), Some(1050));
        assert!(lanes.pop(1050) == Some(2) && lanes.may_ask(2, ip(1), 1050));
        assert!(lanes.pop(1050) == Some(1) && !lanes.may_ask(1, ip(1), 1050));
    }

    #[test]
    fn delays() {
        let mut lanes = Lanes::new(1000, 16);
        let ask = |lanes: &mut Lanes, now: Time, took: Time| {
            lanes.wake(1, now);
            assert!(lanes.pop(now) == Some(1) && lanes.may_ask(1, ip(1), now));
            lanes.answered(1, ip(1), now + took, took);
            lanes.wake(1, now);
            lanes.first_time().unwrap() - now - took
        };
        assert_eq!(ask(&mut lanes, 0, 10), 1000);
        assert_eq!(ask(&mut lanes, 10_000, 3000), 3000);
        lanes.set_crawl_delay(1, 5000);
        assert_eq!(ask(&mut lanes, 20_000, 10), 5000);
        lanes.set_crawl_delay(1, 2000); // of another host
        assert_eq!(ask(&mut lanes, 30_000, 10), 5000);
    }

    /// Two lanes of one machine, of which the first one is asked at 0 and answered at `took`. Returns when the other one may go.
    fn other_goes_at(lanes: &mut Lanes, took: Time) -> Time {
        lanes.wake(1, 0);
        lanes.wake(2, 0);
        assert!(lanes.pop(0) == Some(1) && lanes.may_ask(1, ip(1), 0));
        assert!(lanes.pop(0) == Some(2) && !lanes.may_ask(2, ip(1), 0));
        let waits = lanes.first_time().unwrap();
        if waits < took {
            return waits;
        }
        lanes.answered(1, ip(1), took, took);
        lanes.first_time().unwrap()
    }

    #[test]
    fn what_is_slow_about_a_lane_is_its_own() {
        let mut lanes = Lanes::new(100, 16);
        lanes.lanes.entry(1).or_default().crawl_delay = 20_000;
        assert_eq!(other_goes_at(&mut lanes, 10), 110, "its crawl delay");
        let mut lanes = Lanes::new(100, 16);
        lanes.lanes.entry(1).or_default().penalty = 60_000;
        assert_eq!(other_goes_at(&mut lanes, 10), 110, "its penalty");
        assert_eq!(other_goes_at(&mut Lanes::new(100, 16), 900), 1000, "its rest after a long answer");
        assert_eq!(other_goes_at(&mut Lanes::new(100, 16), 60_000), 1100, "its answer that does not come");
        assert_eq!(other_goes_at(&mut Lanes::new(3000, 16), 60_000), 6000, "an address waits for as long as the delay");
    }

    #[test]
    fn slow_answers_of_a_machine_do_not_take_all_threads() {
        let mut lanes = Lanes::new(100, 16);
        (0..16).for_each(|lane| lanes.wake(lane, 0));
        let mut pending = 0;
        for now in (0..60_000).step_by(100) {
            while let Some(lane) = lanes.pop(now) {
                pending += usize::from(lanes.may_ask(lane, ip(1), now));
            }
        }
        assert_eq!(pending, 4);
        lanes.answered(0, ip(1), 60_000, 60_000);
        let next = lanes.first_time().unwrap();
        let lane = lanes.pop(next).unwrap();
        assert!(lanes.may_ask(lane, ip(1), next), "one answer makes place for one request");
    }

    #[test]
    fn a_crawl_delay_counts_from_the_answer_that_says_it() {
        let mut lanes = Lanes::new(1000, 16);
        lanes.wake(1, 0);
        assert!(lanes.pop(0) == Some(1) && lanes.may_ask(1, ip(1), 0));
        lanes.answered(1, ip(1), 10, 10);
        lanes.set_crawl_delay(1, 3000);
        lanes.wake(1, 10);
        assert_eq!(lanes.first_time(), Some(3010));
    }

    #[test]
    fn a_busy_server_is_left_alone() {
        let mut lanes = Lanes::new(1000, 16);
        assert_eq!(lanes.is_busy(1, 100, Some(7000)), 7000);
        let mut lanes = Lanes::new(1000, 16);
        let mut waits = Vec::new();
        for _ in 0..14 {
            lanes.answered(1, ip(1), 0, 0);
            lanes.is_busy(1, 0, None);
            waits.push(lanes.lanes[&1].penalty);
        }
        assert_eq!(waits[..4], [2000, 4000, 8000, 16_000]);
        assert_eq!(waits.last(), Some(&LONGEST_PENALTY_UNASKED));
    }

    proptest! {
        /// No domain and no machine is ever asked too early, everybody has a turn, and no time is lost.
        #[test]
        fn a_simulated_crawl_keeps_all_delays(
            machines in prop::collection::vec(0..4_u8, 1..12),
            pages in 1..6_usize,
            took in prop::collection::vec(prop_oneof![3 => 0..400_u64, 1 => 0..9000_u64], 1..9),
            threads in 1..5_usize,
            alternates in any::<bool>(),
        ) {
            const DELAY: u64 = 100;
            let mut lanes = Lanes::new(DELAY, threads);
            let mut left: Vec<usize> = machines.iter().map(|_| pages).collect();
            (0..machines.len()).for_each(|lane| lanes.wake(lane as u32, 0));
            // Of each domain, when its last answer ended. Of each machine, until when the last request counts.
            let (mut domains, mut addresses): (HashMap<u32, Time>, HashMap<IpAddr, Time>) = Default::default();
            let mut flying: VecDeque<(Time, u32, u64, IpAddr)> = VecDeque::new();
            let (mut now, mut asked, mut popped) = (0, 0, 0);
            // The next URL of a lane may be at another machine than the one for which the lane waited.
            let machine_of = |lane: u32, asked: usize| ip(machines[lane as usize] + u8::from(alternates && asked % 3 == 1));
            loop {
                while flying.len() < threads {
                    let Some(lane) = lanes.pop(now) else { break };
                    popped += 1;
                    let machine = machine_of(lane, asked);
                    if left[lane as usize] == 0 || !lanes.may_ask(lane, machine, now) {
                        continue;
                    }
                    let took = took[asked % took.len()];
                    asked += 1;
                    left[lane as usize] -= 1;
                    prop_assert!(domains.get(&lane).is_none_or(|&end| now >= end + DELAY));
                    prop_assert!(addresses.get(&machine).is_none_or(|&end| now >= end + DELAY));
                    addresses.insert(machine, now + took.min(LONGEST_WAIT));
                    flying.push_back((now + took, lane, took, machine));
                }
                flying.make_contiguous().sort_unstable();
                let answer = flying.front().map(|&(at, ..)| at);
                let next = if flying.len() < threads { lanes.first_time() } else { None };
                let Some(then) = answer.into_iter().chain(next).min() else { break };
                prop_assert!(then > now || answer == Some(now), "it stands still");
                now = then.max(now);
                if answer == Some(now) {
                    let (at, lane, took, machine) = flying.pop_front().unwrap();
                    lanes.answered(lane, machine, at, took);
                    lanes.wake(lane, at);
                    domains.insert(lane, at);
                }
            }
            prop_assert_eq!(left.iter().sum::<usize>(), 0);
            // A lane that waits for a machine does not come up again and again.
            prop_assert!(popped <= 3 * (asked + machines.len()), "{popped} for {asked}");
        }
    }
}
