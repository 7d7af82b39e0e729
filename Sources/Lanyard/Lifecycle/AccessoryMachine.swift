// SPDX-License-Identifier: Apache-2.0

/// The life of one accessory: what it does next, whatever happens.
///
/// It is told what happens, one event after the other, and answers with what is to be done. It knows no
/// Core Bluetooth, no clock, and nothing of a peripheral but whether it is the same: the time and a
/// generator of random numbers come with the event.
///
/// Its state is one enumeration, whose cases hold all that there is in a state, and nothing else holds
/// it. So what belongs to a state ends with it, by itself and everywhere: a countdown is cancelled, a scan
/// stopped, a slot given back by whoever leaves the state that had it, not by each way out. What comes too
/// late, or belongs to something else, is ignored: a peripheral has to be the one of the state, a countdown
/// to have its number.
///
/// Every event is decided in every state: `decide` goes to one function for each event, and that one
/// through all states, without a default. `TransitionTable` shows what comes out.
struct AccessoryMachine<Peripheral: Hashable> {
    /// What an event leads to.
    enum Decision: Equatable {
        /// To nothing: it comes too late, or means nothing here.
        case ignore
        /// To another state, for a reason that the application is told.
        case move(State, ChangeReason, [Action] = [])
        /// To something that is only noted, or asked for, in what is the same state to everybody else.
        case note(State, [Action] = [])
        /// To what the plan says about a failure.
        case retry(Peripheral, LinkFailure, linkWasUp: Bool)
    }

    /// What of the accessory's description decides.
    let settings: LifecycleSettings
    /// What it is doing.
    private(set) var state: State
    /// Why it does that.
    private(set) var reason = ChangeReason.begun
    /// Whether it was usable once: it is known at the next launch, and worth waiting for.
    private(set) var isRemembered: Bool
    /// The peripheral whose identifier is saved, if it is known by now which one that is.
    private(set) var saved: Peripheral?
    /// The attempts to get it ready.
    private(set) var log = AttemptLog()
    /// What it had when it was usable the last time.
    private(set) var knownBefore: Set<CharacteristicPath> = []
    /// When it was last seen.
    private(set) var lastSeen: Duration?
    /// The time, as told with the last event.
    private(set) var now = Duration.zero
    private var plan: ReconnectPlan
    private var lastCountdown = 0

    /// A machine that waits for Bluetooth. One that is remembered is connected to as soon as that is
    /// there, unless it is wished otherwise.
    init(settings: LifecycleSettings, isRemembered: Bool) {
        let intent = isRemembered ? Intent.keep : .rest(.neverPaired)
        self.init(
            settings: settings,
            isRemembered: isRemembered,
            state: .unavailable(.unknown, intent)
        )
    }

    /// A machine in any state.
    init(settings: LifecycleSettings, isRemembered: Bool, state: State) {
        self.settings = settings
        self.isRemembered = isRemembered
        self.state = state
        plan = ReconnectPlan(limits: settings.limits)
        lastCountdown = state.countdown?.number ?? 0
    }

    /// What an application may see of the state.
    var accessoryState: AccessoryState { state.accessoryState }

    /// What is to be done about an event. Times must not go back.
    mutating func receive(
        _ event: Event,
        at now: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        self.now = now
        note(event)
        switch decide(event) {
        case .ignore:
            return []
        case .note(let next, let actions):
            return actions + enter(next, [])
        case .move(let next, let reason, let actions):
            if reason == .wished { plan.startOver() }
            return move(to: next, because: reason, doing: actions)
        case .retry(let peripheral, let failure, let linkWasUp):
            let chance = Double.random(in: 0...1, using: &generator)
            return retry(peripheral, failure, linkWasUp: linkWasUp, chance: chance)
        }
    }

    /// A countdown that no other of this machine's is mistaken for.
    func countdown(_ duration: Duration) -> Countdown {
        Countdown(number: lastCountdown + 1, deadline: now + duration)
    }

    /// Keeps what an event tells besides what it leads to.
    private mutating func note(_ event: Event) {
        switch event {
        case .found(_, let rssi):
            seen(rssi)
        case .link(let peripheral, .seen(let rssi)) where peripheral == state.peripheral:
            seen(rssi)
        case .slot(.delayed(let slots)), .slot(.turnedAway(let slots)):
            log.slots = slots
        case .retrieved(let peripheral):
            if case .retrieving(.remembered, _) = state { saved = peripheral }
        default: break
        }
    }

    private mutating func seen(_ rssi: Int?) {
        lastSeen = now
        log.rssi = rssi ?? log.rssi
    }
}

// MARK: Going from state to state

extension AccessoryMachine {
    private mutating func move(
        to next: State,
        because reason: ChangeReason,
        doing actions: [Action],
        failure: LinkFailure? = nil
    ) -> [Action] {
        let record = recordAttempt(in: next, because: reason, failure)
        let all = enter(next, actions, limitReached: failure?.isLimitOfSystem ?? false)
        remember(actions)
        self.reason = reason
        return all + record + [.report(next.accessoryState, reason)]
    }

    /// Ends what belongs to the state that is left, and begins what belongs to the next one.
    private mutating func enter(
        _ next: State,
        _ actions: [Action],
        limitReached: Bool = false
    ) -> [Action] {
        let last = state
        state = next
        var all: [Action] = []
        if last.isScanning && !next.isScanning { all.append(.stopScan) }
        if let old = last.countdown, old != next.countdown { all.append(.cancelCountdown(old)) }
        let givesBack = last.gives(backSlotFor: next)
        if givesBack { all.append(.releaseSlot(limitReached: limitReached)) }
        all += actions
        if let use = next.slotUse, last.slotUse == nil || givesBack {
            all.append(.reserveSlot(use.use))
        }
        if next.isScanning && !last.isScanning { all.append(.scan) }
        if let new = next.countdown, new != last.countdown {
            lastCountdown = new.number
            all.append(.arm(new))
        }
        return all
    }

    /// Asks the plan what comes after a failure.
    private mutating func retry(
        _ peripheral: Peripheral,
        _ failure: LinkFailure,
        linkWasUp: Bool,
        chance: Double
    ) -> [Action] {
        let isAbsent =
            settings.isOutOfRange(failure) || (failure.kind == .timeout && !linkWasUp)
        let trouble = ReconnectPlan.Trouble(
            failure: failure,
            linkWasUp: linkWasUp,
            wasStanding: state.isStanding,
            isOutOfRange: isAbsent,
            isRemembered: isRemembered
        )
        let step = plan.step(after: trouble, at: now, chance: chance)
        let (next, reason, actions) = follow(step, peripheral, trouble)
        return move(to: next, because: reason, doing: actions, failure: failure)
    }

    private func follow(
        _ step: ReconnectPlan.Step,
        _ peripheral: Peripheral,
        _ trouble: ReconnectPlan.Trouble
    ) -> (State, ChangeReason, [Action]) {
        let failure = trouble.failure
        switch step {
        case .dial(let delay):
            let wait = Connecting.backingOff(countdown(delay))
            return (.connecting(peripheral, wait), .retrying(failure, after: delay), [])
        case .standBy(let delay):
            let reason = trouble.isOutOfRange ? ChangeReason.lost(failure) : .standingBy(failure)
            return (
                .outOfRange(peripheral, .ours(from: now + delay)), reason,
                [.connect(peripheral, .standing(after: delay))]
            )
        case .stop:
            let reason = IdleReason.failed(failure)
            return (.idle(reason), .resting(reason), [])
        }
    }

    private mutating func remember(_ actions: [Action]) {
        for action in actions {
            switch action {
            case .save(let peripheral):
                isRemembered = true
                saved = peripheral
            case .erase:
                isRemembered = false
                saved = nil
                knownBefore = []
            default: break
            }
        }
    }

    private mutating func recordAttempt(
        in next: State,
        because reason: ChangeReason,
        _ failure: LinkFailure?
    ) -> [Action] {
        if case .ready(_, let link) = next { knownBefore = link.found }
        if next.isUsable { plan.succeeded(at: now) }
        var actions: [Action] = []
        if state.isEnding || next.endsAttempt || failure != nil,
            let record = log.close(
                with: failure ?? reason.failure,
                next: next.next(after: now),
                at: now
            )
        {
            actions.append(.record(record))
        }
        if let phase = next.phase { log.enter(phase, by: next.approach, at: now) }
        return actions
    }
}
