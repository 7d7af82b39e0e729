// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Synchronization
import Testing

/// One way to pair our host with BlueZ: the capabilities of both sides, and the expected result.
struct PairingVariant: Sendable, CustomTestStringConvertible {
    enum Generation: String, CaseIterable, Sendable {
        case secureConnections = "Secure Connections"
        case legacy
    }

    let generation: Generation
    let method: Pairing.Method
    let ours: Pairing.IOCapability
    let theirs: BlueZ.InputOutput

    /// The passkey of pairings in which both sides enter it.
    static let agreed: UInt32 = 271_828

    /// Each association model except out-of-band, with LE Secure Connections and with legacy
    /// pairing, which has no numeric comparison (Vol 3, Part H, 2.3.5.1).
    static let all = Generation.allCases.flatMap { generation in
        models.filter { generation == .secureConnections || $0.method != .numericComparison }
            .map { PairingVariant(generation, $0.method, $0.ours, $0.theirs) }
    }

    /// The settings in which each way is tried. Legacy pairing is tried only with 4.x controllers,
    /// because the controllers have no part in pairing except the encryption.
    static let occasions: [(Setting, PairingVariant)] = Setting.all.flatMap { setting in
        all.filter { $0.generation == .secureConnections || setting.generation == .four }
            .map { (setting, $0) }
    }

    private static let models:
        [(method: Pairing.Method, ours: Pairing.IOCapability, theirs: BlueZ.InputOutput)] = [
            (.justWorks, .noInputNoOutput, .noInputNoOutput),
            (.numericComparison, .displayYesNo, .displayYesNo),
            (.passkeyDisplay, .displayOnly, .keyboardOnly),
            (.passkeyEntry, .keyboardOnly, .displayOnly),
            (.passkeyEntryOnBoth, .keyboardOnly, .keyboardOnly),
        ]

    init(
        _ generation: Generation,
        _ method: Pairing.Method,
        _ ours: Pairing.IOCapability,
        _ theirs: BlueZ.InputOutput
    ) {
        self.generation = generation
        self.method = method
        self.ours = ours
        self.theirs = theirs
    }

    /// Returns the variant with this association model and pairing generation.
    static func by(_ method: Pairing.Method, _ generation: Generation = .secureConnections)
        -> PairingVariant
    {
        guard let variant = all.first(where: { $0.method == method && $0.generation == generation })
        else { preconditionFailure("no pairing by \(method), \(generation.rawValue)") }
        return variant
    }

    var testDescription: String { "\(method), \(generation.rawValue)" }

    /// The name of the row in the scenario table.
    var scenario: String {
        let name =
            switch method {
            case .justWorks: "just works"
            case .numericComparison: "numeric comparison"
            case .passkeyDisplay: "passkey shown here"
            case .passkeyEntry: "passkey entered here"
            case .passkeyEntryOnBoth: "passkey entered on both"
            case .outOfBand: "out of band"
            }
        return generation == .legacy ? "legacy \(name)" : name
    }

    /// The pairing policy of our host.
    var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ours
        policy.allowsLegacyPairing = generation == .legacy
        return policy
    }

    /// The security that the link must reach.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: method.isAuthenticated,
            usesSecureConnections: generation == .secureConnections,
            keySize: 16,
            isBonded: true
        )
    }
}

/// The users of our host and of BlueZ. Each user can read the other side's display.
struct PairingPeople: Sendable {
    let fixture: AccessoryFixture
    let variant: PairingVariant
    /// The difference between a displayed number and the number that the users enter: 0, unless a
    /// test needs a wrong number.
    let slip: UInt32

    /// The numbers that were read on one side, to be entered on the other.
    private let copies = ReadNumbers()

    /// The numbers that our host displayed.
    private let shown: AsyncStream<UInt32>
    private let show: AsyncStream<UInt32>.Continuation

    init(_ fixture: AccessoryFixture, _ variant: PairingVariant, slip: UInt32 = 0) {
        self.fixture = fixture
        self.variant = variant
        self.slip = slip
        (shown, show) = AsyncStream.makeStream(of: UInt32.self)
    }

    /// Pairs on a link. Returns the security that the link has afterward.
    func pair(on link: Link) async throws -> LinkSecurity {
        prepare()
        async let assistance: Void = assist()
        let security = try await link.pair()
        try await assistance
        return security
    }

    /// Configures how the user of our host answers.
    private func prepare() {
        var behavior = Person.Behavior()
        behavior.enters = PairingVariant.agreed
        behavior.tells = { [show] in show.yield($0) }
        if variant.method == .passkeyEntry {
            behavior.looks = { [bluez = fixture.bluez, copies, slip] in
                let question = try? await bluez.question("display")
                return question?["passkey"].integer.map { copies.make(of: UInt32($0), slip) }
            }
        }
        fixture.person.behave(behavior)
    }

    /// Performs the actions of BlueZ's user.
    private func assist() async throws {
        switch variant.method {
        case .passkeyDisplay:
            for await digits in shown {
                try await fixture.bluez.answer(passkey: Int(copies.make(of: digits, slip)))
                return
            }
        case .passkeyEntryOnBoth:
            _ = try await fixture.bluez.question("passkey")
            try await fixture.bluez.answer(passkey: Int(PairingVariant.agreed + slip))
        default: return
        }
    }

    /// Expects the questions and numbers that this variant requires on both sides.
    func expectExperiences() async throws {
        let experiences = fixture.person.experiences
        switch variant.method {
        case .justWorks:
            // Our host initiated the pairing, which is its consent. BlueZ's user has to consent.
            #expect(experiences == [])
            _ = try await fixture.bluez.question("authorize")
        case .numericComparison:
            let question = try await fixture.bluez.question("confirm")
            let number = try #require(question["passkey"].integer)
            #expect(experiences == [.compared(UInt32(number))])
        case .passkeyDisplay:
            #expect(experiences == [.shown(try copies.only)])
            _ = try await fixture.bluez.question("passkey")
        case .passkeyEntry: #expect(experiences == [.entered(try copies.only)])
        case .passkeyEntryOnBoth: #expect(experiences == [.entered(PairingVariant.agreed)])
        case .outOfBand: #expect(experiences == [])
        }
        #expect(fixture.person.methods == experiences.map { _ in variant.method })
    }
}

/// The numbers that a user read on one side and entered on the other.
private final class ReadNumbers: Sendable {
    private let numbers = Mutex<[UInt32]>([])

    /// The only number that was copied.
    var only: UInt32 {
        get throws {
            let numbers = numbers.withLock { $0 }
            try #require(numbers.count == 1)
            return numbers[0]
        }
    }

    /// Copies a number with the error `slip`. Returns the number to enter.
    func make(of number: UInt32, _ slip: UInt32) -> UInt32 {
        let copy = (number + slip) % 1_000_000
        numbers.withLock { $0.append(copy) }
        return copy
    }
}
