// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Keeping a controller's resolving list")
struct ResolvingListKeeperTests {
    private var keeper = ResolvingListKeeper()
    private var model = ResolvingModel()

    private mutating func start(
        _ capabilities: ControllerCapabilities = .resolving(),
        wanting numbers: Range<Int>
    ) {
        model.limit = max(model.limit, capabilities.resolvingListSize)
        keeper.want(numbers.map(ResolvingListKeeper.Entry.peer))
        keeper.configure(capabilities)
    }

    /// Carries orders out until nothing is left to be done: how many, and that the end comes.
    @discardableResult
    private mutating func run() -> [PrivacyOrder] {
        var orders: [PrivacyOrder] = []
        while let order = keeper.nextOrder, orders.count < 1_000 {
            orders.append(order)
            let code = model.perform(order, isOnAir: false, usesRandomAddress: false)
            _ = keeper.finished(order, code == .success ? .accepted : .refused(code))
        }
        #expect(orders.count < 1_000)
        return orders
    }

    @Test("asks nothing of a controller where nobody is to be recognised")
    mutating func nobody() {
        start(wanting: 0..<0)
        #expect(keeper.nextOrder == nil)
    }

    @Test("clears the list, fills it, sets the modes and switches resolution on")
    mutating func filling() {
        start(wanting: 1..<3)
        let (first, second) = (ResolvingListKeeper.Entry.peer(1), ResolvingListKeeper.Entry.peer(2))
        let orders = run()
        #expect(
            orders == [
                .clearList, .add(first), .add(second), .setDeviceMode(first.identity),
                .setDeviceMode(second.identity), .enableResolution(true),
            ]
        )
        #expect(keeper.resolves(first.identity) && keeper.resolves(second.identity))
        #expect(!keeper.resolves(.accessory(3)))
    }

    @Test("switches resolution off for a change, and on again")
    mutating func changing() {
        start(wanting: 1..<3)
        run()
        keeper.want([.peer(2), .peer(3)])
        let orders = run()
        #expect(orders.first == .enableResolution(false))
        #expect(orders.last == .enableResolution(true))
        #expect(Set(model.entries) == [.peer(2), .peer(3)])
        keeper.want([])
        let last = run()
        #expect(last == [.enableResolution(false)])
        #expect(!keeper.resolves(.accessory(2)))
    }

    @Test("puts in the first who are wanted, where not all have room", arguments: [0, 1, 3, 4])
    mutating func room(limit: Int) {
        model.limit = limit
        keeper.want((1..<10).map(ResolvingListKeeper.Entry.peer))
        keeper.configure(.resolving(limit: limit))
        run()
        #expect(model.entries == (1..<10).prefix(limit).map(ResolvingListKeeper.Entry.peer))
        #expect(model.isEnabled == (limit > 0))
        #expect(!keeper.resolves(.accessory(9)))
    }

    @Test("believes a controller that is full earlier than it said")
    mutating func fullEarly() {
        model.limit = 2
        keeper.want((1..<6).map(ResolvingListKeeper.Entry.peer))
        keeper.configure(.resolving(limit: 4))
        run()
        #expect(model.entries.count == 2 && model.isEnabled)
        #expect(keeper.resolves(.accessory(1)) && !keeper.resolves(.accessory(3)))
    }

    @Test("leaves out peers without a key, and whom the controller does not take")
    mutating func leftOut() {
        let keyless = ResolvingListKeeper.Entry(
            identity: .accessory(7),
            peerKey: HCI.Key128(),
            localKey: HCI.Key128()
        )
        let double = ResolvingListKeeper.Entry(
            identity: .accessory(8),
            peerKey: ResolvingListKeeper.Entry.peer(1).peerKey,
            localKey: HCI.Key128()
        )
        keeper.want([keyless, .peer(1), double, .peer(2)])
        keeper.configure(.resolving())
        run()
        #expect(model.entries == [.peer(1), .peer(2)] && model.isEnabled)
        #expect(!keeper.isGivenUp)
    }

    /// Without privacy modes, too, the host does it: in network privacy mode, the only one that such a
    /// controller may have, a bonded peer that shows its identity is ignored (Vol 6, Part B, 4.7).
    @Test(
        "needs all commands of the list, and privacy modes",
        arguments: ControllerCapabilities.listCommands + [.leSetPrivacyMode]
    )
    mutating func missingCommand(opcode: HCI.Opcode) {
        let all = ControllerCapabilities.listCommands + [.leSetPrivacyMode]
        start(.resolving(commands: all.filter { $0 != opcode }), wanting: 1..<2)
        #expect(keeper.nextOrder == nil)
        #expect(!keeper.resolves(.accessory(1)))
    }

    @Test("leaves a peer to the host whose privacy mode is refused")
    mutating func modeRefused() {
        start(wanting: 1..<3)
        let (first, second) = (ResolvingListKeeper.Entry.peer(1), ResolvingListKeeper.Entry.peer(2))
        while let order = keeper.nextOrder, order != .setDeviceMode(first.identity) {
            _ = model.perform(order, isOnAir: false, usesRandomAddress: false)
            _ = keeper.finished(order, .accepted)
        }
        let goesOn = keeper.finished(
            .setDeviceMode(first.identity),
            .refused(.invalidCommandParameters)
        )
        #expect(goesOn)
        run()
        #expect(model.entries == [second] && model.isEnabled)
        #expect(!keeper.resolves(first.identity) && keeper.resolves(second.identity))
        #expect(!keeper.isGivenUp)
    }

    @Test("gives the list up where privacy modes are unknown after all")
    mutating func modeUnknown() {
        start(wanting: 1..<2)
        while let order = keeper.nextOrder, order != .setDeviceMode(.accessory(1)) {
            _ = keeper.finished(order, .accepted)
        }
        _ = keeper.finished(.setDeviceMode(.accessory(1)), .refused(.unknownCommand))
        #expect(keeper.isGivenUp && keeper.nextOrder == nil)
        #expect(!keeper.resolves(.accessory(1)))
    }

    @Test("gives up a list that is refused, for good")
    mutating func refused() {
        start(wanting: 1..<2)
        let goesOn = keeper.finished(.clearList, .refused(.unknownCommand))
        #expect(goesOn)
        #expect(keeper.isGivenUp && keeper.nextOrder == nil)
        start(wanting: 1..<2)
        #expect(keeper.nextOrder == nil)
    }

    @Test("begins again after a passing refusal, and gives up in the end")
    mutating func disallowed() {
        start(wanting: 1..<2)
        for attempt in 1...ResolvingListKeeper.refusalLimit {
            #expect(keeper.nextOrder == .clearList)
            let goesOn = keeper.finished(.clearList, .disallowed)
            #expect(goesOn == (attempt == ResolvingListKeeper.refusalLimit))
        }
        #expect(keeper.isGivenUp && keeper.nextOrder == nil)
    }

    @Test("gives up a controller that only says that it recognises")
    mutating func missed() {
        start(wanting: 1..<2)
        run()
        for _ in 0..<ResolvingListKeeper.missLimit { keeper.missed() }
        let last = run()
        #expect(last == [.enableResolution(false)])
        #expect(!keeper.resolves(.accessory(1)) && !model.isEnabled)
    }

    @Test("comes to an end whatever the controller answers", arguments: 0..<50)
    mutating func anyAnswers(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let codes: [HCI.ErrorCode] = [
            .success, .success, .success, .commandDisallowed, .memoryCapacityExceeded,
            .unknownCommand, .invalidCommandParameters, .unspecifiedError,
            .unknownConnectionIdentifier,
        ]
        start(wanting: 1..<8)
        var count = 0
        while let order = keeper.nextOrder, count < 500 {
            count += 1
            let code = codes.randomElement(using: &generator) ?? .success
            let outcome: OrderOutcome =
                generator.next() % 16 == 0
                ? .unanswered : code == .success ? .accepted : .refused(code)
            _ = keeper.finished(order, outcome)
        }
        #expect(count < 500)
    }
}
