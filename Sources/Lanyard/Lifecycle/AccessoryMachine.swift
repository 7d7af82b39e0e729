// SPDX-License-Identifier: Apache-2.0

/// The state machine of one accessory.
///
/// The driver passes one event after the other to the state machine, which returns the actions to
/// perform. The state machine uses neither Core Bluetooth nor a clock. The time and a random number
/// generator are parameters of each event.
///
/// At each change of the state, `enter` ends the countdown, the scan and the slot of the former
/// state unless the next state continues them. A link event is ignored unless the state has its
/// peripheral. The end of a countdown is ignored unless the state has that countdown.
struct AccessoryMachine<Peripheral: Hashable> {
    /// The result of an event.
    enum Decision: Equatable {
        /// No change: the event is late, or has no meaning in this state.
        case ignore
        /// A change to a state, perhaps the same one, for a reason that the app receives.
        case move(State, ChangeReason, [Action] = [])
        /// A change of details within the same observable state.
        case note(State, [Action] = [])
        /// The step that the reconnect plan decides after a failure.
        case retry(Peripheral, LinkFailure, linkWasUp: Bool)
    }

    /// The part of the accessory's description that affects decisions.
    let settings: LifecycleSettings
    private(set) var state: State
    /// The reason for the current state.
    private(set) var reason = ChangeReason.begun
    /// Whether the accessory has been ready, and was not forgotten since. It is then known at the
    /// next launch, and connection requests for it may stay pending.
    private(set) var isRemembered: Bool
    /// The peripheral whose identifier is saved; `nil` until the system has found it or it was
    /// saved.
    private(set) var saved: Peripheral?
    /// The attempts to make the accessory ready.
    private(set) var log = AttemptLog()
    /// The characteristics that the accessory had when it was last ready.
    private(set) var knownBefore: Set<CharacteristicPath> = []
    /// The time of the latest advertisement.
    private(set) var lastSeen: Duration?
    /// Whether a link was reported, and not yet its end.
    private(set) var isLinkUp = false
    /// The time at which the latest link ended.
    private(set) var lastLinked: Duration?
    /// The time of the latest event.
    private(set) var now = Duration.zero
    private var plan: ReconnectPlan
    private var lastCountdown = 0

    /// Creates a machine that waits for Bluetooth. A remembered accessory is connected as soon as
    /// Bluetooth is available, unless the app disconnects or forgets it.
    init(settings: LifecycleSettings, isRemembered: Bool) {
        let intent = isRemembered ? Intent.keep : .rest(.neverPaired)
        self.init(
            settings: settings,
            isRemembered: isRemembered,
            state: .unavailable(.unknown, intent)
        )
    }

    /// Creates a machine in any state.
    init(settings: LifecycleSettings, isRemembered: Bool, state: State) {
        self.settings = settings
        self.isRemembered = isRemembered
        self.state = state
        plan = ReconnectPlan(limits: settings.limits)
        lastCountdown = state.countdown?.number ?? 0
    }

    /// The latest time at which an advertisement or a link proved that the accessory was in range;
    /// `nil` if there was none.
    var lastInRange: Duration? {
        isLinkUp ? now : [lastSeen, lastLinked].compactMap(\.self).max()
    }

    /// The state that the app can observe.
    var accessoryState: AccessoryState { state.accessoryState }

    /// Handles an event and returns the actions to perform. Times must not decrease.
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
            if reason == .requested { plan.startOver() }
            return move(to: next, because: reason, doing: actions)
        case .retry(let peripheral, let failure, let linkWasUp):
            let chance = Double.random(in: 0...1, using: &generator)
            return retry(peripheral, failure, linkWasUp: linkWasUp, chance: chance)
        }
    }

    /// Returns a countdown with the next number.
    func countdown(_ duration: Duration) -> Countdown {
        Countdown(number: lastCountdown + 1, deadline: now + duration)
    }

    /// Records the facts that an event contains, independently of the decision about the event.
    private mutating func note(_ event: Event) {
        switch event {
        case .found(_, let rssi):
            seen(rssi)
        case .link(let peripheral, .seen(let rssi)) where peripheral == state.peripheral:
            seen(rssi)
        case .restored(_, .connected): isLinkUp = true
        case .link(let peripheral, .connected) where peripheral == state.peripheral:
            isLinkUp = true
        case .link(let peripheral, .disconnected) where peripheral == state.peripheral:
            noteLinkEnd()
        case .countdownEnded(let countdown) where state.isEnding && countdown == state.countdown:
            noteLinkEnd()
        case .unavailable: noteLinkEnd()
        case .slot(.delayed(let slots)), .slot(.denied(let slots)):
            log.slots = slots
        case .retrieved(let peripheral):
            if case .retrieving(.remembered, _) = state { saved = peripheral }
        default: break
        }
    }

    private mutating func noteLinkEnd() {
        if isLinkUp { lastLinked = now }
        isLinkUp = false
    }

    private mutating func seen(_ rssi: Int?) {
        lastSeen = now
        log.rssi = rssi ?? log.rssi
    }
}

// MARK: State changes

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

    /// Ends the countdown, the scan and the slot of the old state unless the next state continues
    /// them, and begins new ones if the next state needs them.
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
        if let purpose = next.slotPurpose, last.slotPurpose == nil || givesBack {
            all.append(.reserveSlot(purpose.slotRequest))
        }
        if next.isScanning && !last.isScanning { all.append(.scan) }
        if let new = next.countdown, new != last.countdown {
            lastCountdown = new.number
            all.append(.arm(new))
        }
        return all
    }

    /// Asks the reconnect plan for the step after a failure.
    private mutating func retry(
        _ peripheral: Peripheral,
        _ failure: LinkFailure,
        linkWasUp: Bool,
        chance: Double
    ) -> [Action] {
        let isAbsent =
            settings.isOutOfRange(failure) || (failure.kind == .timeout && !linkWasUp)
        let failedAttempt = ReconnectPlan.FailedAttempt(
            failure: failure,
            linkWasUp: linkWasUp,
            wasPending: state.isPending,
            isOutOfRange: isAbsent,
            isRemembered: isRemembered
        )
        let step = plan.step(after: failedAttempt, at: now, chance: chance)
        let (next, reason, actions) = follow(step, peripheral, failedAttempt)
        return move(to: next, because: reason, doing: actions, failure: failure)
    }

    private func follow(
        _ step: ReconnectPlan.Step,
        _ peripheral: Peripheral,
        _ failedAttempt: ReconnectPlan.FailedAttempt
    ) -> (State, ChangeReason, [Action]) {
        let failure = failedAttempt.failure
        switch step {
        case .connect(let delay):
            let wait = Connecting.backingOff(countdown(delay))
            return (.connecting(peripheral, wait), .retrying(failure, after: delay), [])
        case .connectPending(let delay):
            let reason =
                failedAttempt.isOutOfRange ? ChangeReason.lost(failure) : .standingBy(failure)
            return (
                .outOfRange(peripheral, .library(from: now + delay)), reason,
                [.connect(peripheral, .pending(after: delay))]
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
