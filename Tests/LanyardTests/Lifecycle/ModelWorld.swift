// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport

@testable import Lanyard

/// An action of the machine that is impossible or forbidden.
struct Impossible: Error, CustomStringConvertible {
    var description: String
}

/// A system with one accessory, a pool of links and a store. It answers the machine's actions with
/// delays and failures, and throws if an action is impossible.
struct ModelWorld {
    enum Link { case pending, up, cancelled }
    enum Slot { case none, waiting, granted }

    var machine: Machine
    var generator: SplitMix64
    var now = Duration.zero
    /// Whether nothing fails, and the accessory also accepts links under its earlier addresses.
    var isFaultless = false
    var isOn = false
    var isPresent = true
    /// The events that wait to be passed to the machine.
    var callbacks: [Machine.Event] = []
    private(set) var armed: Countdown?
    private(set) var slot = Slot.none
    private(set) var isScanning = false
    private(set) var saved: String?
    private var links: [String: Link] = [:]
    /// The peripherals that are valid since Bluetooth was switched on.
    private var peripherals: Set<String> = []
    private var name = "p"
    private var found: Set<CharacteristicPath> = []
    private var services: Set<BluetoothID> = []
    private var confirmed: Set<CharacteristicPath> = []

    /// The latest events, to explain a failure.
    private(set) var recentEvents: [String] = []

    init(_ settings: LifecycleSettings, seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let isRemembered = generator.happens(oneIn: 2)
        machine = Machine(settings: settings, isRemembered: isRemembered)
        saved = isRemembered ? name : nil
    }

    /// Returns whether an operation fails, with a probability of one in `odds`.
    mutating func fails(oneIn odds: Int) -> Bool {
        !isFaultless && generator.happens(oneIn: odds)
    }

    /// Passes an event to the machine and performs its actions.
    mutating func send(_ event: Machine.Event) throws {
        let before = machine.state
        recentEvents = recentEvents.suffix(11) + ["\(event)"]
        happen(event)
        for action in machine.receive(event, at: now, using: &generator) {
            try perform(action, before)
        }
        try check()
    }

    /// Passes the oldest waiting event to the machine.
    mutating func sendNext() throws {
        guard !callbacks.isEmpty else { return }
        try send(callbacks.removeFirst())
    }

    /// Ends the armed countdown.
    mutating func endCountdown() throws {
        // If the system reports the end of the link, it does so before this countdown ends.
        while machine.accessoryState == .disconnecting,
            let peripheral = machine.state.peripheral,
            callbacks.contains(where: { $0.isEnd(of: peripheral) })
        {
            try sendNext()
        }
        guard let countdown = armed else { return }
        now = max(now, countdown.deadline)
        armed = nil
        let isCurrent = machine.state.countdown == countdown
        guard isCurrent else { throw Impossible(description: "an old countdown was armed") }
        // The countdown stays armed for now, because the machine also cancels a countdown that
        // ended.
        armed = countdown
        try send(.countdownEnded(countdown))
    }
}

// MARK: Independent events

extension ModelWorld {
    mutating func switchBluetooth(_ isOn: Bool) throws {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        links = [:]
        peripherals = []
        // The system answers a retrieval at once or never.
        callbacks.removeAll { $0.isRetrieval }
        if !isOn && fails(oneIn: 2) { callbacks = [] }
        let why = Unavailability.allCases.randomElement(using: &generator) ?? .poweredOff
        try send(isOn ? .available : .unavailable(why))
    }

    mutating func walk(in isPresent: Bool) {
        self.isPresent = isPresent
        for (peripheral, link) in links.sorted(by: { $0.key < $1.key }) {
            switch link {
            case .pending where isPresent: connect(peripheral)
            case .up where !isPresent: drop(peripheral)
            default: break
            }
        }
    }

    mutating func drop(_ peripheral: String) {
        let endings: [LinkFailure] = [.lost, .closed, .strange, .bondLost]
        let failure = endings.randomElement(using: &generator) ?? .lost
        let isReconnecting = generator.happens(oneIn: 3)
        links[peripheral] = isReconnecting ? .pending : nil
        callbacks.append(
            .link(peripheral, .disconnected(failure, isReconnecting: isReconnecting))
        )
        if isReconnecting && isPresent { connect(peripheral) }
    }

    mutating func dropAll() {
        for (peripheral, link) in links.sorted(by: { $0.key < $1.key }) where link == .up {
            drop(peripheral)
        }
    }

    /// Gives the accessory another address, so that the system treats it as another device.
    mutating func rotate() {
        name = "p\(generator.next() % 100)"
        if isOn && isPresent { advertise() }
    }

    mutating func advertise() {
        peripherals.insert(name)
        callbacks.append(.found(name, rssi: -60))
    }

    mutating func modifyServices() {
        guard let peripheral = links.first(where: { $0.value == .up })?.key else { return }
        let changes: [Set<BluetoothID>] = [[], ["180F"], ["180D", "180F"]]
        let modified = changes.randomElement(using: &generator) ?? []
        found = found.filter { !modified.contains($0.service) }
        confirmed = confirmed.filter { !modified.contains($0.service) }
        services.subtract(modified)
        callbacks.append(.link(peripheral, .servicesModified(modified)))
    }

    mutating func refuseMessages() {
        guard let peripheral = links.first(where: { $0.value == .up })?.key else { return }
        let step = Renewal.allCases.randomElement(using: &generator) ?? .subscription
        callbacks.append(.link(peripheral, .messagesRefused(.measurement, step, .strange)))
    }

    mutating func revoke() {
        if slot == .granted { callbacks.append(.slot(.revoked)) }
    }

    mutating func grant() {
        guard slot == .waiting, !callbacks.contains(.slot(.granted)) else { return }
        callbacks.append(.slot(.granted))
    }

    private mutating func connect(_ peripheral: String) {
        var known: Set<CharacteristicPath> = []
        if generator.happens(oneIn: 3) { known = .all }
        callbacks.append(.link(peripheral, .connected(known: known)))
    }

    /// Applies an event to the world before the machine receives it.
    private mutating func happen(_ event: Machine.Event) {
        switch event {
        case .link(let peripheral, .connected(let known)):
            guard links[peripheral] == .pending else { return }
            links[peripheral] = .up
            (found, services, confirmed) = (known, Set(known.map(\.service)), [])
        case .link(let peripheral, .disconnected(_, isReconnecting: false)):
            if links[peripheral] == .cancelled { links[peripheral] = nil }
        case .link(_, .subscriptionChanged(let path, .confirmed)):
            confirmed.insert(path)
        case .link(_, .servicesDiscovered(let new)): services.formUnion(new)
        case .link(_, .characteristicsDiscovered(let service, let new)):
            found.formUnion(new.map { CharacteristicPath(service, $0) })
        case .slot(.granted): if slot == .waiting { slot = .granted }
        default: break
        }
    }
}

// MARK: Actions of the machine

extension ModelWorld {
    private func require(_ condition: Bool, _ otherwise: String) throws {
        guard condition else {
            throw Impossible(description: "\(otherwise); \(machine.state)")
        }
    }

    private mutating func perform(_ action: Machine.Action, _ before: Machine.State) throws {
        switch action {
        case .retrieve(let source): try retrieve(source)
        case .scan, .stopScan: try scan(action == .scan)
        case .connect(let peripheral, let approach):
            try own(peripheral, before)
            try connect(peripheral, approach)
        case .cancelConnection(let peripheral):
            try own(peripheral, before)
            try cancel(peripheral)
        case .discoverServices(let peripheral, let wanted):
            try own(peripheral, before)
            try discover(peripheral, wanted)
        case .discoverCharacteristics(let peripheral, let service, let wanted):
            try own(peripheral, before)
            try discover(peripheral, service, wanted)
        case .subscribe(let peripheral, let path):
            try own(peripheral, before)
            try subscribe(peripheral, path)
        case .unsubscribe(let peripheral, let path):
            try own(peripheral, before)
            try unsubscribe(peripheral, path)
        case .probe(let peripheral, let path):
            try own(peripheral, before)
            try probe(peripheral, path)
        case .reserveSlot(let use): try reserve(use)
        case .releaseSlot:
            try require(slot != .none, "a released slot is not held")
            slot = .none
            callbacks.removeAll { $0.isAboutSlots }
        case .save(let peripheral): try save(peripheral)
        case .erase: saved = nil
        case .arm(let countdown):
            try require(armed == nil, "two countdowns are armed")
            try require(countdown.deadline >= now, "an armed countdown is already over")
            armed = countdown
        case .cancelCountdown(let countdown):
            try require(armed == countdown, "a canceled countdown is not armed")
            armed = nil
        case .report(let state, _):
            try require(
                state == machine.accessoryState,
                "the reported state is not the current one"
            )
        case .record(let record):
            try require(record.steps.count <= 7, "an attempt has too many steps")
        }
    }

    private func own(_ peripheral: String, _ before: Machine.State) throws {
        try require(isOn, "Bluetooth is off")
        try require(peripherals.contains(peripheral), "\(peripheral) is no longer valid")
        try require(
            peripheral == machine.state.peripheral || peripheral == before.peripheral,
            "\(peripheral) is not the machine's"
        )
    }

    private mutating func retrieve(_ source: Retrieval) throws {
        try require(isOn, "Bluetooth is off")
        var peripheral: String?
        switch source {
        case .remembered:
            peripheral = fails(oneIn: 10) ? nil : saved
        case .heldBySystem:
            peripheral = generator.happens(oneIn: 10) ? name : nil
        }
        if let peripheral { peripherals.insert(peripheral) }
        callbacks.append(.retrieved(peripheral))
    }

    private mutating func scan(_ isOn: Bool) throws {
        try require(isScanning != isOn, "a scan begins or ends twice")
        isScanning = isOn
        if isOn && isPresent && !fails(oneIn: 5) { advertise() }
    }

    private mutating func connect(_ peripheral: String, _ approach: Approach) throws {
        switch approach {
        case .direct: try require(slot == .granted, "a connection is requested without a slot")
        case .pending: try require(slot == .none, "a pending connection holds a slot")
        }
        links[peripheral] = .pending
        guard isPresent, peripheral == name || isFaultless else { return }
        if fails(oneIn: 4) {
            links[peripheral] = nil
            let failures: [LinkFailure] = [.strange, .full, .lost]
            let failure = failures.randomElement(using: &generator) ?? .strange
            callbacks.append(.link(peripheral, .failedToConnect(failure)))
        } else {
            connect(peripheral)
        }
    }

    private mutating func cancel(_ peripheral: String) throws {
        let isExpected = callbacks.contains { $0.isEnd(of: peripheral) }
        try require(
            links[peripheral] != nil || isExpected,
            "\(peripheral) is canceled without a connection"
        )
        // The failure of this connection was already reported, so no other event follows.
        guard links[peripheral] != nil else { return }
        if fails(oneIn: 30) {
            links[peripheral] = nil
            callbacks.removeAll { $0.isAbout(peripheral) }
            return
        }
        links[peripheral] = .cancelled
        callbacks.append(.link(peripheral, .disconnected(nil, isReconnecting: false)))
    }

    /// Requires that there is a link, as far as the machine knows.
    private func requireLink(_ peripheral: String) throws {
        let isExpected = callbacks.contains { $0.isEnd(of: peripheral) }
        try require(links[peripheral] == .up || isExpected, "\(peripheral) is not connected")
    }

    /// Whether the services have changed and the machine was not yet informed.
    private var isStale: Bool {
        callbacks.contains {
            guard case .link(_, .servicesModified) = $0 else { return false }
            return true
        }
    }

    private mutating func discover(_ peripheral: String, _ wanted: Set<BluetoothID>) throws {
        try requireLink(peripheral)
        guard !fails(oneIn: 20) else { return }
        let isFailure = fails(oneIn: 20)
        let there = fails(oneIn: 40) ? [] : wanted
        callbacks.append(
            .link(peripheral, isFailure ? .discoveryFailed(.strange) : .servicesDiscovered(there))
        )
    }

    private mutating func discover(
        _ peripheral: String,
        _ service: BluetoothID,
        _ wanted: Set<BluetoothID>
    ) throws {
        try requireLink(peripheral)
        try require(services.contains(service) || isStale, "\(service) is not discovered")
        guard !fails(oneIn: 20) else { return }
        let there = fails(oneIn: 40) ? [] : wanted
        callbacks.append(.link(peripheral, .characteristicsDiscovered(of: service, there)))
    }

    private mutating func subscribe(_ peripheral: String, _ path: CharacteristicPath) throws {
        try requireLink(peripheral)
        try require(found.contains(path) || isStale, "\(path) is not discovered")
        guard !fails(oneIn: 20) else { return }
        let change: SubscriptionChange =
            fails(oneIn: 10)
            ? .failed(generator.happens(oneIn: 2) ? .strange : .unauthenticated) : .confirmed
        callbacks.append(.link(peripheral, .subscriptionChanged(path, change)))
    }

    private mutating func unsubscribe(
        _ peripheral: String,
        _ path: CharacteristicPath
    ) throws {
        try requireLink(peripheral)
        try require(found.contains(path) || isStale, "\(path) is not discovered")
        confirmed.remove(path)
        guard !fails(oneIn: 20) else { return }
        let change: SubscriptionChange =
            fails(oneIn: 10)
            ? .failed(generator.happens(oneIn: 2) ? .strange : .unauthenticated) : .ended
        callbacks.append(.link(peripheral, .subscriptionChanged(path, change)))
    }

    private mutating func probe(_ peripheral: String, _ path: CharacteristicPath) throws {
        try requireLink(peripheral)
        try require(found.contains(path) || isStale, "\(path) is not discovered")
        guard !fails(oneIn: 10) else { return }
        callbacks.append(.link(peripheral, .probed(fails(oneIn: 3) ? .unauthenticated : nil)))
    }

    private mutating func reserve(_ request: SlotRequest) throws {
        try require(slot == .none, "a second slot is requested")
        slot = .waiting
        let slots = AttemptRecord.Slots(inUse: 2, limit: 2)
        if !fails(oneIn: 4) { return grant() }
        callbacks.append(.slot(request == .existingLink ? .denied(slots) : .delayed(slots)))
    }

    private mutating func save(_ peripheral: String) throws {
        try requireLink(peripheral)
        let wanted = machine.settings.subscriptions.intersection(found)
        guard !isStale else { return saved = peripheral }
        try require(found.contains(.measurement), "a saved accessory is not discovered")
        try require(wanted.isSubset(of: confirmed), "a saved accessory is not subscribed to")
        saved = peripheral
    }
}

// MARK: Invariants

extension ModelWorld {
    private func check() throws {
        try require(armed == machine.state.countdown, "another countdown is armed")
        try require((slot != .none) == (machine.state.slotPurpose != nil), "a slot is leaked")
        try require(isScanning == machine.state.isScanning, "a scan is leaked")
        try require((saved != nil) == machine.isRemembered, "the store and the machine differ")
        try require(machine.log.records.count <= AttemptLog.limit, "too many records")
        for (peripheral, link) in links where link != .cancelled {
            let isExpected = callbacks.contains { $0.isEnd(of: peripheral) }
            try require(
                peripheral == machine.state.peripheral || isExpected,
                "\(peripheral) still has a connection"
            )
        }
    }
}

extension Machine.Event {
    /// Returns whether the event reports the end of a link or of an attempt to make it.
    fileprivate func isEnd(of peripheral: String) -> Bool {
        switch self {
        case .link(peripheral, .disconnected), .link(peripheral, .failedToConnect): true
        default: false
        }
    }

    /// Whether the event answers `retrieve`.
    fileprivate var isRetrieval: Bool {
        guard case .retrieved = self else { return false }
        return true
    }

    /// Returns whether the event concerns a peripheral.
    fileprivate func isAbout(_ peripheral: String) -> Bool {
        guard case .link(peripheral, _) = self else { return false }
        return true
    }

    /// Whether the event comes from the pool.
    fileprivate var isAboutSlots: Bool {
        guard case .slot = self else { return false }
        return true
    }
}
