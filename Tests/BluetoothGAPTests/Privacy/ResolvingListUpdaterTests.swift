// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("The resolving list of a controller")
struct ResolvingListUpdaterTests {
    private var updater = ResolvingListUpdater()
    private var model = ResolvingModel()

    private mutating func start(
        _ capabilities: ControllerCapabilities = .resolving(),
        wanting numbers: Range<Int>
    ) {
        model.limit = max(model.limit, capabilities.resolvingListSize)
        updater.request(numbers.map(ResolvingListUpdater.Entry.peer))
        updater.configure(capabilities)
    }

    /// Carries out all commands. Returns them, and expects that they end.
    @discardableResult
    private mutating func run() -> [PrivacyOperation] {
        var operations: [PrivacyOperation] = []
        while let operation = updater.nextOperation, operations.count < 1_000 {
            operations.append(operation)
            let code = model.perform(operation, isOnAir: false, usesRandomAddress: false)
            _ = updater.finished(operation, code == .success ? .accepted : .refused(code))
        }
        #expect(operations.count < 1_000)
        return operations
    }

    @Test("Without peers to resolve, the controller gets no commands")
    mutating func noPeers() {
        start(wanting: 0..<0)
        #expect(updater.nextOperation == nil)
    }

    @Test("The list is cleared and filled, modes are set, and resolution is enabled")
    mutating func filling() {
        start(wanting: 1..<3)
        let (first, second) = (
            ResolvingListUpdater.Entry.peer(1), ResolvingListUpdater.Entry.peer(2)
        )
        let operations = run()
        #expect(
            operations == [
                .clearList, .add(first), .add(second), .setDeviceMode(first.identity),
                .setDeviceMode(second.identity), .enableResolution(true),
            ]
        )
        #expect(updater.resolves(first.identity) && updater.resolves(second.identity))
        #expect(!updater.resolves(.accessory(3)))
    }

    @Test("Resolution is disabled for a change and enabled again")
    mutating func changing() {
        start(wanting: 1..<3)
        run()
        updater.request([.peer(2), .peer(3)])
        let operations = run()
        #expect(operations.first == .enableResolution(false))
        #expect(operations.last == .enableResolution(true))
        #expect(Set(model.entries) == [.peer(2), .peer(3)])
        updater.request([])
        let last = run()
        #expect(last == [.enableResolution(false)])
        #expect(!updater.resolves(.accessory(2)))
    }

    @Test(
        "The first requested peers are added if the list has no room for all",
        arguments: [0, 1, 3, 4]
    )
    mutating func room(limit: Int) {
        model.limit = limit
        updater.request((1..<10).map(ResolvingListUpdater.Entry.peer))
        updater.configure(.resolving(limit: limit))
        run()
        #expect(model.entries == (1..<10).prefix(limit).map(ResolvingListUpdater.Entry.peer))
        #expect(model.isEnabled == (limit > 0))
        #expect(!updater.resolves(.accessory(9)))
    }

    @Test("A list that is full before its reported size is used with the peers that it holds")
    mutating func fullEarly() {
        model.limit = 2
        updater.request((1..<6).map(ResolvingListUpdater.Entry.peer))
        updater.configure(.resolving(limit: 4))
        run()
        #expect(model.entries.count == 2 && model.isEnabled)
        #expect(updater.resolves(.accessory(1)) && !updater.resolves(.accessory(3)))
    }

    @Test("Peers without a key and peers that the controller refuses are left out")
    mutating func leftOut() {
        let keyless = ResolvingListUpdater.Entry(
            identity: .accessory(7),
            peerKey: HCI.Key128(),
            localKey: HCI.Key128()
        )
        let double = ResolvingListUpdater.Entry(
            identity: .accessory(8),
            peerKey: ResolvingListUpdater.Entry.peer(1).peerKey,
            localKey: HCI.Key128()
        )
        updater.request([keyless, .peer(1), double, .peer(2)])
        updater.configure(.resolving())
        run()
        #expect(model.entries == [.peer(1), .peer(2)] && model.isEnabled)
        #expect(!updater.isGivenUp)
    }

    @Test("A peer that the controller refused is tried again with new keys")
    mutating func newKeys() {
        let (first, second) = (
            ResolvingListUpdater.Entry.peer(1), ResolvingListUpdater.Entry.peer(2)
        )
        let double = ResolvingListUpdater.Entry(
            identity: second.identity,
            peerKey: first.peerKey,
            localKey: second.localKey
        )
        updater.request([first, double])
        updater.configure(.resolving())
        run()
        #expect(model.entries == [first])
        // A request without a change does not try the peer again.
        updater.request([first, double])
        #expect(updater.nextOperation == nil)
        updater.request([first, second])
        run()
        #expect(model.entries == [first, second] && model.isEnabled)
    }

    /// Without privacy modes, the host resolves the addresses instead. In network privacy mode, the
    /// only mode of such a controller, the controller ignores a bonded peer that uses its identity
    /// address (Vol 6, Part B, 4.7).
    @Test(
        "The list is not used if the controller lacks one of its commands or privacy modes",
        arguments: ControllerCapabilities.listCommands + [.leSetPrivacyMode]
    )
    mutating func missingCommand(opcode: HCI.Opcode) {
        let all = ControllerCapabilities.listCommands + [.leSetPrivacyMode]
        start(.resolving(commands: all.filter { $0 != opcode }), wanting: 1..<2)
        #expect(updater.nextOperation == nil)
        #expect(!updater.resolves(.accessory(1)))
    }

    @Test("The host resolves a peer whose privacy mode is refused")
    mutating func modeRefused() {
        start(wanting: 1..<3)
        let (first, second) = (
            ResolvingListUpdater.Entry.peer(1), ResolvingListUpdater.Entry.peer(2)
        )
        while let operation = updater.nextOperation, operation != .setDeviceMode(first.identity) {
            _ = model.perform(operation, isOnAir: false, usesRandomAddress: false)
            _ = updater.finished(operation, .accepted)
        }
        let goesOn = updater.finished(
            .setDeviceMode(first.identity),
            .refused(.invalidCommandParameters)
        )
        #expect(goesOn)
        run()
        #expect(model.entries == [second] && model.isEnabled)
        #expect(!updater.resolves(first.identity) && updater.resolves(second.identity))
        #expect(!updater.isGivenUp)
    }

    @Test("The list is abandoned if the controller does not know privacy modes")
    mutating func modeUnknown() {
        start(wanting: 1..<2)
        while let operation = updater.nextOperation, operation != .setDeviceMode(.accessory(1)) {
            _ = updater.finished(operation, .accepted)
        }
        _ = updater.finished(.setDeviceMode(.accessory(1)), .refused(.unknownCommand))
        #expect(updater.isGivenUp && updater.nextOperation == nil)
        #expect(!updater.resolves(.accessory(1)))
    }

    @Test("A refused list is abandoned permanently")
    mutating func refused() {
        start(wanting: 1..<2)
        let goesOn = updater.finished(.clearList, .refused(.unknownCommand))
        #expect(goesOn)
        #expect(updater.isGivenUp && updater.nextOperation == nil)
        start(wanting: 1..<2)
        #expect(updater.nextOperation == nil)
    }

    @Test("A temporarily refused command is repeated a limited number of times")
    mutating func disallowed() {
        start(wanting: 1..<2)
        for attempt in 1...ResolvingListUpdater.refusalLimit {
            #expect(updater.nextOperation == .clearList)
            let goesOn = updater.finished(.clearList, .disallowed)
            #expect(goesOn == (attempt == ResolvingListUpdater.refusalLimit))
        }
        #expect(updater.isGivenUp && updater.nextOperation == nil)
    }

    @Test("The list is abandoned if the controller does not resolve its peers")
    mutating func missed() {
        start(wanting: 1..<2)
        run()
        for _ in 0..<ResolvingListUpdater.missLimit { updater.missed() }
        let last = run()
        #expect(last == [.enableResolution(false)])
        #expect(!updater.resolves(.accessory(1)) && !model.isEnabled)
    }

    @Test("The procedure ends for any answers of the controller", arguments: RunSeed.seeds(50))
    mutating func anyAnswers(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let codes: [HCI.ErrorCode] = [
            .success, .success, .success, .commandDisallowed, .memoryCapacityExceeded,
            .unknownCommand, .invalidCommandParameters, .unspecifiedError,
            .unknownConnectionIdentifier,
        ]
        start(wanting: 1..<8)
        var count = 0
        while let operation = updater.nextOperation, count < 500 {
            count += 1
            let code = codes.randomElement(using: &generator) ?? .success
            let outcome: OperationOutcome =
                generator.next() % 16 == 0
                ? .unanswered : code == .success ? .accepted : .refused(code)
            _ = updater.finished(operation, outcome)
        }
        #expect(count < 500)
    }
}
