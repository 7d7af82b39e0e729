// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Synchronization
import Testing

/// One way to pair our host with BlueZ: what the two can do, and what has to come of it.
struct PairingWay: Sendable, CustomTestStringConvertible {
    enum Generation: String, CaseIterable, Sendable {
        case secureConnections = "Secure Connections"
        case legacy
    }

    let generation: Generation
    let method: Pairing.Method
    let ours: Pairing.IOCapability
    let theirs: BlueZ.InputOutput

    /// What both sides enter where both enter something.
    static let agreed: UInt32 = 271_828

    /// Each association model by LE Secure Connections, and as of old, where there are no numbers to
    /// be compared (Vol 3, Part H, 2.3.5.1).
    static let all = Generation.allCases.flatMap { generation in
        models.filter { generation == .secureConnections || $0.method != .numericComparison }
            .map { PairingWay(generation, $0.method, $0.ours, $0.theirs) }
    }

    /// Each of them where it is tried: what is of old on controllers of old, as the controllers have no part
    /// in it but to encrypt.
    static let occasions: [(Setting, PairingWay)] = Setting.all.flatMap { setting in
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

    /// The way of that generation with that method.
    static func by(_ method: Pairing.Method, _ generation: Generation = .secureConnections)
        -> PairingWay
    {
        guard let way = all.first(where: { $0.method == method && $0.generation == generation })
        else { preconditionFailure("nobody pairs by \(method), \(generation.rawValue)") }
        return way
    }

    var testDescription: String { "\(method), \(generation.rawValue)" }

    /// The row of the table that it belongs to.
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

    /// What our host allows.
    var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ours
        policy.allowsLegacyPairing = generation == .legacy
        return policy
    }

    /// How well the link has to be protected in the end.
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

/// The two people in front of our host and of BlueZ, who look at what the other side shows.
struct PairingPeople: Sendable {
    let scene: AccessoryScene
    let way: PairingWay
    /// What is added to each number before it is entered: 0 for people who can read.
    let slip: UInt32

    /// What they have read on one side, to enter it on the other.
    private let copies = Copies()

    /// What our host has shown.
    private let shown: AsyncStream<UInt32>
    private let show: AsyncStream<UInt32>.Continuation

    init(_ scene: AccessoryScene, _ way: PairingWay, slip: UInt32 = 0) {
        self.scene = scene
        self.way = way
        self.slip = slip
        (shown, show) = AsyncStream.makeStream(of: UInt32.self)
    }

    /// Pairs on a link; how well it is protected then.
    func pair(on link: Link) async throws -> LinkSecurity {
        prepare()
        async let assistance: Void = assist()
        let security = try await link.pair()
        try await assistance
        return security
    }

    /// Tells the person in front of our host how to answer.
    private func prepare() {
        var manner = Person.Manner()
        manner.enters = PairingWay.agreed
        manner.tells = { [show] in show.yield($0) }
        if way.method == .passkeyEntry {
            manner.looks = { [bluez = scene.bluez, copies, slip] in
                let question = try? await bluez.question("display")
                return question?["passkey"].integer.map { copies.make(of: UInt32($0), slip) }
            }
        }
        scene.person.behave(manner)
    }

    /// Does what BlueZ's user has to do.
    private func assist() async throws {
        switch way.method {
        case .passkeyDisplay:
            for await digits in shown {
                try await scene.bluez.answer(passkey: Int(copies.make(of: digits, slip)))
                return
            }
        case .passkeyEntryOnBoth:
            _ = try await scene.bluez.question("passkey")
            try await scene.bluez.answer(passkey: Int(PairingWay.agreed + slip))
        default: return
        }
    }

    /// Expects that both sides asked, and showed, what they had to.
    func expectExperiences() async throws {
        let experiences = scene.person.experiences
        switch way.method {
        case .justWorks:
            // Our host began, which is consent enough; BlueZ's user did not.
            #expect(experiences == [])
            _ = try await scene.bluez.question("authorize")
        case .numericComparison:
            let question = try await scene.bluez.question("confirm")
            let number = try #require(question["passkey"].integer)
            #expect(experiences == [.compared(UInt32(number))])
        case .passkeyDisplay:
            #expect(experiences == [.shown(try copies.only)])
            _ = try await scene.bluez.question("passkey")
        case .passkeyEntry: #expect(experiences == [.entered(try copies.only)])
        case .passkeyEntryOnBoth: #expect(experiences == [.entered(PairingWay.agreed)])
        case .outOfBand: #expect(experiences == [])
        }
        #expect(scene.person.methods == experiences.map { _ in way.method })
    }
}

/// The numbers that somebody has read on one side and entered on the other.
private final class Copies: Sendable {
    private let numbers = Mutex<[UInt32]>([])

    /// The one that there was.
    var only: UInt32 {
        get throws {
            let numbers = numbers.withLock { $0 }
            try #require(numbers.count == 1)
            return numbers[0]
        }
    }

    /// What is entered for a number that was read, by somebody who is wrong by `slip`.
    func make(of number: UInt32, _ slip: UInt32) -> UInt32 {
        let copy = (number + slip) % 1_000_000
        numbers.withLock { $0.append(copy) }
        return copy
    }
}
