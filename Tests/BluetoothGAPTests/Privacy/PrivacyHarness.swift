// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// The central scheduler, the advertiser and the address scheduler of one controller, with a model
/// of the controller's restrictions and a manual clock. All commands go through one queue, as in a
/// host.
struct PrivacyHarness {
    enum Command {
        case central(CentralStep)
        case advertising(AdvertisingStep)
        case privacy(PrivacyStep)
    }

    var addresses: AddressScheduler
    var scheduler = CentralScheduler()
    var advertiser = Advertiser()
    var radio = ModelController()
    var sets: AdvertisingModel
    var list = ResolvingModel()
    var generator: SplitMix64
    var now = Instant.zero

    /// The commands that await their answers, oldest first.
    private(set) var queue: [Command] = []
    /// The address commands that the model disallowed.
    private(set) var violations: [PrivacyOperation] = []
    private(set) var privacyOperations: [PrivacyOperation] = []
    /// All addresses that the controller has used on the air.
    private(set) var shown: Set<DeviceAddress> = []
    private(set) var holdCount = 0
    private(set) var releaseCount = 0
    /// The answers that replace the answers of the model.
    var planned: [(matches: (PrivacyOperation) -> Bool, result: CommandResult)] = []
    var answersAtOnce = true
    let capabilities: ControllerCapabilities
    private let ownKey: ResolvingKey?

    init(
        _ capabilities: ControllerCapabilities = .resolving(),
        rotation: Duration? = .seconds(10),
        seed: UInt64 = 1
    ) throws {
        self.capabilities = capabilities
        generator = SplitMix64(seed: seed)
        let key = ResolvingListUpdater.Entry.peer(99).peerKey
        ownKey = ResolvingKey(key)
        addresses = AddressScheduler(
            own: rotation.flatMap { PrivateAddresses(key: key, rotation: $0) }
        )
        sets = AdvertisingModel(
            isExtended: capabilities.usesExtendedCommands,
            setLimit: capabilities.advertisingSetCount
        )
        list.limit = capabilities.resolvingListSize
        try start()
    }

    var isOnAir: Bool { radio.isScanning || radio.initiation != nil || !sets.onAir.isEmpty }

    /// Whether the controller uses its random address. Extended advertising sets have their own
    /// addresses.
    var usesRandomAddress: Bool {
        radio.isScanning || radio.initiation != nil || !sets.isExtended && !sets.onAir.isEmpty
    }

    // MARK: Inputs

    mutating func start() throws {
        let address = try #require(ownKey?.makeAddress(using: &generator))
        list.start(with: address)
        var capabilities = capabilities
        capabilities.randomAddress = address
        try take(addresses.configure(capabilities, using: &generator, now: now))
        try take(scheduler.configure(capabilities, ownAddressKind: .random, now: now))
        var copy = generator
        let own = addresses.own
        let actions = advertiser.configure(
            capabilities,
            ownAddress: addresses.own?.current ?? address,
            setAddress: { own?.makeAddress(using: &copy) },
            now: now
        )
        generator = copy
        try take(actions)
    }

    mutating func reset() throws {
        addresses.reset()
        radio.reset()
        sets.reset()
        list.start(with: DeviceAddress(value: 0, kind: .random))
        queue = []
        try take(scheduler.reset(now: now))
        try take(advertiser.reset(now: now))
    }

    mutating func request(_ numbers: some Sequence<Int>) throws {
        try take(addresses.request(numbers.map(ResolvingListUpdater.Entry.peer), now: now))
    }

    mutating func scan(_ parameters: ScanParameters?) throws {
        try take(scheduler.setScan(parameters, now: now))
    }

    mutating func addPendingRequest(_ id: UInt64, _ address: DeviceAddress) throws {
        try take(scheduler.connect(id, to: .pending(address), now: now))
    }

    mutating func cancel(_ id: UInt64) throws {
        try take(scheduler.cancel(id, now: now))
    }

    mutating func advertise(_ id: UInt64, _ advertising: Advertising = Advertising()) throws {
        let address = addresses.own?.makeAddress(using: &generator)
        try take(advertiser.add(id, advertising, address: address, now: now))
    }

    mutating func stopAdvertising(_ id: UInt64) throws {
        try take(advertiser.remove(id, now: now))
    }

    mutating func advance(by duration: Duration) throws {
        let end = now + duration
        for _ in 0..<10_000 {
            guard let deadline = nextDeadline, deadline <= end else {
                now = end
                return
            }
            now = max(now, deadline)
            try take(addresses.deadlinePassed(now: now))
            try take(scheduler.deadlinePassed(now: now))
            try take(advertiser.deadlinePassed(now: now))
        }
        Issue.record("The deadline does not advance")
    }

    private var nextDeadline: Instant? {
        earliest(
            addresses.nextDeadline,
            earliest(scheduler.nextDeadline, advertiser.nextDeadline)
        )
    }

    // MARK: Actions

    private mutating func take(_ actions: [AddressScheduler.Action]) throws {
        for action in actions {
            switch action {
            case .command(_, let step):
                queue.append(.privacy(step))
                privacyOperations.append(step.operation)
            case .hold:
                holdCount += 1
                try take(scheduler.hold(now: now))
                try take(advertiser.hold(now: now))
            case .release:
                releaseCount += 1
                try take(scheduler.release(now: now))
                try take(advertiser.release(now: now))
            case .addressChanged(let address): try changeAddresses(address)
            case .recognitionChanged: break
            }
        }
        try answerAll()
    }

    private mutating func changeAddresses(_ address: DeviceAddress) throws {
        var copy = generator
        let own = addresses.own
        let actions = advertiser.changeAddresses(
            toHost: address,
            setAddress: { own?.makeAddress(using: &copy) },
            now: now
        )
        generator = copy
        try take(actions)
    }

    private mutating func take(_ actions: [CentralScheduler.Action]) throws {
        for action in actions {
            switch action {
            case .command(_, let step): queue.append(.central(step))
            case .quiet: try take(addresses.schedulersStopped(.central, now: now))
            default: break
            }
        }
        try answerAll()
    }

    private mutating func take(_ actions: [Advertiser.Action]) throws {
        for action in actions {
            switch action {
            case .command(_, let step): queue.append(.advertising(step))
            case .quiet: try take(addresses.schedulersStopped(.advertiser, now: now))
            default: break
            }
        }
        try answerAll()
    }

    private mutating func answerAll() throws {
        while answersAtOnce, !queue.isEmpty { try answer() }
    }

    /// Answers the oldest command, as the model carries it out or refuses it.
    mutating func answer() throws {
        switch queue.removeFirst() {
        case .central(let step): try answer(step)
        case .advertising(let step): try answer(step)
        case .privacy(let step): try answer(step)
        }
        note()
    }

    private mutating func answer(_ step: CentralStep) throws {
        let ends = try radio.perform(step.operation)
        try take(
            scheduler.commandFinished(step, result: .accepting(step.operation), now: now)
        )
        guard ends else { return }
        let actions = scheduler.connectionCompleted(
            status: .unknownConnectionIdentifier,
            peer: .noPeer,
            now: now
        )
        try take(actions)
    }

    private mutating func answer(_ step: AdvertisingStep) throws {
        try sets.perform(step.operation)
        var bytes: [UInt8] = [0]
        if case .setParameters = step.operation { bytes.append(5) }
        if step.operation == .readTransmitPower { bytes.append(0) }
        let result = CommandResult.complete(bytes[...])
        try take(advertiser.commandFinished(step, result: result, now: now))
    }

    private mutating func answer(_ step: PrivacyStep) throws {
        var result = CommandResult.complete([0])
        if let index = planned.firstIndex(where: { $0.matches(step.operation) }) {
            result = planned.remove(at: index).result
        } else {
            let code = list.perform(
                step.operation,
                isOnAir: isOnAir,
                usesRandomAddress: usesRandomAddress
            )
            if code == .commandDisallowed { violations.append(step.operation) }
            result = .complete([code.rawValue])
        }
        let actions = addresses.commandFinished(
            step,
            result: result,
            using: &generator,
            now: now
        )
        try take(actions)
    }

    private mutating func note() {
        if usesRandomAddress, let address = list.randomAddress { shown.insert(address) }
        for set in sets.onAir { if let address = set.address { shown.insert(address) } }
    }

    /// The addresses that the controller uses on the air now.
    var shownNow: [DeviceAddress] {
        (usesRandomAddress ? [list.randomAddress] : []).compactMap { $0 }
            + sets.onAir.compactMap(\.address)
    }

    /// Returns whether the host's own key resolves an address.
    func isOurs(_ address: DeviceAddress) -> Bool { ownKey?.resolves(address) ?? false }
}
