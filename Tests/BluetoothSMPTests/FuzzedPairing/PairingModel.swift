// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport

@testable import BluetoothSMP

/// Two Security Managers on one link in memory, with the users and the controllers of both ends.
///
/// One event occurs at a time: `step` delivers a PDU, encrypts the link, or answers for a user, in
/// this order. The state of each end before each event is recorded.
struct PairingModel {
    /// An end of the link.
    enum End: String, CaseIterable {
        case central, peripheral

        var other: End { self == .central ? .peripheral : .central }
    }

    /// The state of an end just before an event.
    struct Snapshot {
        var end: End
        var machine: SecurityManager
        var generator: SplitMix64
        var event: Event
        /// The actions that followed the event.
        var actions: [SecurityManager.Action] = []
        /// The number of PDUs that both ends had exchanged before the event, as this end counts
        /// them.
        var progress: Int
        var isEncrypted: Bool
        var question: Pairing.Question?
    }

    enum Event {
        case arrival([UInt8])
        case encryption(Bool)
        case answer(Pairing.Answer)
    }

    /// The maximum number of events. No pairing has as many.
    static let eventLimit = 400

    var machines: [End: SecurityManager] = [:]
    var generators: [End: SplitMix64] = [:]
    var policies: [End: Pairing.Policy] = [:]
    var people = People()
    var now = Instant.zero
    /// A function that replaces the PDUs that arrive at an end, or `nil` to deliver them unchanged.
    var tamper: ((End, [UInt8]) -> [[UInt8]])?
    var isRecording = true

    /// The PDUs that were sent and have not arrived.
    var air: [(to: End, bytes: [UInt8])] = []
    var questions: [End: Pairing.Question] = [:]
    /// The key with which the central starts encryption.
    var key: LongTermKey?
    var isEncrypted: [End: Bool] = [.central: false, .peripheral: false]
    var outcomes: [End: Result<Pairing.Keys, Pairing.Failure>] = [:]

    /// The PDUs that were sent, without keypresses.
    private(set) var transcript: [(from: End, code: SMP.Code)] = []
    private(set) var snapshots: [Snapshot] = []
    private(set) var violations: [String] = []
    /// The ends that reported a pairing on an unencrypted link.
    private(set) var pairedInClear: [End] = []
    private(set) var presses: [End: [Pairing.Keypress]] = [:]
    /// The number of PDUs, without keypresses, that each end has sent or received.
    private var progress: [End: Int] = [.central: 0, .peripheral: 0]

    init(central: Pairing.Policy, peripheral: Pairing.Policy, seed: UInt64 = 1) {
        policies = [.central: central, .peripheral: peripheral]
        for end in End.allCases {
            machines[end] = SecurityManager(Self.context(end))
            machines[end]?.policyForPeer = policies[end]
            generators[end] = SplitMix64(seed: seed &* 2 &+ (end == .central ? 0 : 1))
        }
    }

    static let addresses: [End: DeviceAddress] = [
        .central: DeviceAddress(value: 0x4A11_2233_4455, kind: .random),
        .peripheral: DeviceAddress(value: 0x7B66_7788_99AA, kind: .random),
    ]
    static let identities: [End: DeviceAddress] = [
        .central: DeviceAddress(value: 0xC0FF_EE00_0001, kind: .random),
        .peripheral: DeviceAddress(value: 0x0011_2233_4455, kind: .public),
    ]

    static func context(_ end: End) -> SecurityManager.Context {
        let bytes = [UInt8](repeating: end == .central ? 0x1C : 0x2D, count: 16)
        let anyone = DeviceAddress(value: 0, kind: .public)
        return SecurityManager.Context(
            isCentral: end == .central,
            localAddress: addresses[end] ?? anyone,
            peerAddress: addresses[end.other] ?? anyone,
            identity: Pairing.LocalIdentity(
                address: identities[end] ?? anyone,
                resolvingKey: HCI.Key128(SMP.Value128(bytes) ?? SMP.Value128())
            )
        )
    }
}

extension PairingModel {
    struct Unfinished: Error {}

    /// Returns the keys of an end, or throws its failure.
    func keys(_ end: End) throws -> Pairing.Keys {
        guard let outcome = outcomes[end] else { throw Unfinished() }
        return try outcome.get()
    }
}

// Events.
extension PairingModel {
    /// Starts a pairing at one end.
    mutating func begin(_ end: End) {
        guard let policy = policies[end] else { return }
        let now = now
        perform(end) { machine, generator in
            machine.pair(policy, using: &generator, now: now)
        }
    }

    /// Performs all events.
    mutating func drive() {
        for _ in 0..<Self.eventLimit where !step() { return }
    }

    /// Performs the next event. Returns `false` if there is none.
    mutating func step() -> Bool {
        if !air.isEmpty {
            let (end, bytes) = air.removeFirst()
            for bytes in tamper?(end, bytes) ?? [bytes] { happen(.arrival(bytes), to: end) }
            return true
        }
        if let key {
            self.key = nil
            encrypt(with: key)
            return true
        }
        guard let end = people.next(of: questions),
            let question = questions.removeValue(forKey: end)
        else { return false }
        if let answer = people.answer(to: question, at: end) { happen(.answer(answer), to: end) }
        return true
    }

    /// Acts as both controllers. The link is encrypted if the peripheral has the central's key.
    private mutating func encrypt(with key: LongTermKey) {
        let found = machines[.peripheral]?.key(diversifier: key.diversifier, random: key.random)
        let isEncrypted = found == key.value
        happen(.encryption(isEncrypted), to: .peripheral)
        happen(.encryption(isEncrypted), to: .central)
    }

    @discardableResult
    mutating func happen(_ event: Event, to end: End) -> [SecurityManager.Action] {
        guard let machine = machines[end], let generator = generators[end] else { return [] }
        var snapshot = Snapshot(
            end: end,
            machine: machine,
            generator: generator,
            event: event,
            progress: progress[end, default: 0],
            isEncrypted: isEncrypted[end, default: false],
            question: questions[end]
        )
        if case .encryption(let isOn) = event { isEncrypted[end] = isOn }
        if case .arrival(let bytes) = event, bytes.first != 0x0E { progress[end, default: 0] += 1 }
        let now = now
        snapshot.actions = perform(end) { machine, generator in
            event.happen(to: &machine, using: &generator, now: now)
        }
        if isRecording { snapshots.append(snapshot) }
        return snapshot.actions
    }

    @discardableResult
    private mutating func perform(
        _ end: End,
        _ change: (inout SecurityManager, inout SplitMix64) -> [SecurityManager.Action]
    ) -> [SecurityManager.Action] {
        guard var machine = machines[end], var generator = generators[end] else { return [] }
        let actions = change(&machine, &generator)
        machines[end] = machine
        generators[end] = generator
        for action in actions { perform(action, of: end) }
        return actions
    }

    private mutating func perform(_ action: SecurityManager.Action, of end: End) {
        switch action {
        case .send(let bytes): send(bytes, from: end)
        case .ask(.display(let number)): people.see(number, at: end)
        case .ask(let question):
            if case .confirm(let number) = question { people.see(number, at: end) }
            questions[end] = question
        case .withdrawQuestion: questions[end] = nil
        case .pressed(let keypress): presses[end, default: []].append(keypress)
        case .encrypt(let key): self.key = key
        case .securityRequested: begin(end)
        case .begun: break
        case .paired(let keys):
            outcomes[end] = .success(keys)
            if isEncrypted[end] != true { pairedInClear.append(end) }
        case .failed(let failure): outcomes[end] = .failure(failure)
        case .violated(let what): violations.append("\(end.rawValue): \(what)")
        }
    }

    private mutating func send(_ bytes: [UInt8], from end: End) {
        air.append((end.other, bytes))
        guard let first = bytes.first, first != SMP.Code.pairingKeypressNotification.rawValue else {
            return
        }
        transcript.append((end, SMP.Code(rawValue: first)))
        progress[end, default: 0] += 1
    }
}

extension PairingModel.Event {
    /// Passes the event to a Security Manager.
    func happen(
        to machine: inout SecurityManager,
        using generator: inout SplitMix64,
        now: Instant
    ) -> [SecurityManager.Action] {
        switch self {
        case .arrival(let bytes): machine.receive(bytes[...], using: &generator, now: now)
        case .answer(let answer): machine.answer(answer, using: &generator, now: now)
        case .encryption(let isOn):
            machine.encryptionChanged(isEncrypted: isOn, using: &generator, now: now)
        }
    }
}
