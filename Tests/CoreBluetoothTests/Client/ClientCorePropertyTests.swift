// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothPort
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Random requests on one link")
struct ClientCorePropertyTests {
    @Test(
        "7.14 With random input, each request is answered once, in the order of the calls",
        arguments: RunSeed.seeds(200)
    )
    func order(seed: UInt64) {
        var random = Randomness(seed: seed)
        var harness = CoreHarness()
        var expected: [String] = []
        for _ in 0..<300 {
            switch random.next(below: 5) {
            case 0, 1:
                let (request, answer) = Self.request(random.next(below: 3))
                expected.append(answer)
                harness.ask(request)
            case 2:
                harness.change(AttributeHandle(30)...AttributeHandle(40))
            default: Self.answer(&harness, &random)
            }
            // The host has at most one request at a time.
            #expect(harness.asked.count <= 1)
        }
        while !harness.asked.isEmpty { Self.answer(&harness, &random) }
        let kinds = harness.posted.filter { !$0.hasPrefix("all") }
            .map { String($0.dropFirst(2).prefix { $0 != " " }) }
        #expect(kinds == expected)
    }

    @Test(
        "7.11 The peripheral is subscribed to while at least one manager is subscribed",
        arguments: RunSeed.seeds(200)
    )
    func subscriptions(seed: UInt64) {
        var random = Randomness(seed: seed)
        var harness = CoreHarness()
        var isOn = false
        var wants: Set<SessionIdentifier> = []
        func settle() {
            while let question = harness.asked.first {
                if case .gatt(.subscribe, _) = question.request { isOn = true }
                if case .gatt(.unsubscribe, _) = question.request { isOn = false }
                if case .database = question.request {
                    harness.answerTable()
                } else {
                    harness.answer(.success(.gatt(.done)))
                }
            }
        }
        for _ in 0..<100 {
            for _ in 0...random.next(below: 3) {
                let session = SessionIdentifier(rawValue: UInt64(random.next(below: 4)))
                switch random.next(below: 3) {
                case 0:
                    wants.insert(session)
                    harness.ask(.setNotifying(true, CoreHarness.value), for: session)
                case 1:
                    wants.remove(session)
                    harness.ask(.setNotifying(false, CoreHarness.value), for: session)
                default:
                    wants.remove(session)
                    harness.leave(session)
                }
            }
            settle()
            let receivers = harness.core.subscriptions.receivers(of: CoreHarness.value.valueHandle)
            #expect(Set(receivers) == wants)
            #expect(receivers.count == wants.count)
            #expect(isOn == !wants.isEmpty)
        }
    }

    private static func request(_ kind: Int) -> (ClientRequest, String) {
        switch kind {
        case 0: (.read(CoreHarness.value), "read")
        case 1: (.write(CoreHarness.value, [1]), "wrote")
        default: (.find(.services(UUIDFilter(nil))), "services")
        }
    }

    /// Answers the oldest request in one of the ways in which peripherals answer.
    private static func answer(_ harness: inout CoreHarness, _ random: inout Randomness) {
        guard let question = harness.asked.first else { return }
        switch (random.next(below: 4), question.request) {
        case (0, _): harness.refuse(.unlikelyError)
        case (1, _): harness.refuse(.databaseOutOfSync)
        case (_, .database): harness.answerTable()
        case (_, .gatt(.readLong, _)): harness.answer(.success(.gatt(.value([1]))))
        case (_, .gatt(.discoverPrimaryServices, _)): harness.answer(.success(.gatt(.services([]))))
        default: harness.answer(.success(.gatt(.done)))
        }
    }

    /// The SplitMix64 generator.
    private struct Randomness {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next(below bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((value ^ value >> 31) % UInt64(bound))
        }
    }
}
