// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Values that any thread can observe")
struct ObservableValueTests {
    @Test("Without subscribers, a value is made once, when it is read")
    func laterRead() {
        let value = ObservableValue(0)
        let count = Locked(0)
        for number in 1...3 {
            value.show {
                count.change { $0 += 1 }
                return number
            }
        }
        #expect(count.change { $0 } == 0)
        #expect(value.value == 3)
        #expect(value.value == 3)
        #expect(count.change { $0 } == 1)
    }

    @Test("A subscriber receives the current value and each new value")
    func subscriber() async {
        let value = ObservableValue(0)
        value.show { 1 }
        let events = value.events()
        value.show { 1 }
        value.show { 2 }
        value.show(3)
        value.end()
        var received: [Int] = []
        for await number in events { received.append(number) }
        #expect(received == [1, 2, 3])
    }
}
