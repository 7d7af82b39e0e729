// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import PortingShims
import Testing

@testable import ExamplePorting

@Suite("An actor on a dispatch queue")
struct RadioTests {
    @Test("A delegate's method is isolated to the actor whose queue the manager has")
    func states() async {
        let radio = Radio()
        await radio.start([CBManagerOptionAdapterKey: "nonsense"])
        #expect(await radio.states == [.unsupported])
    }

    @Test("The jobs of an actor run on its queue")
    func order() async {
        actor Counter {
            let queue = DispatchSerialQueue(label: "counter")
            var count = 0
            nonisolated var unownedExecutor: UnownedSerialExecutor {
                queue.asUnownedSerialExecutor()
            }

            func increment() -> Int {
                dispatchPrecondition(condition: .onQueue(queue))
                count += 1
                return count
            }
        }
        let counter = Counter()
        for number in 1...100 { #expect(await counter.increment() == number) }
    }
}
