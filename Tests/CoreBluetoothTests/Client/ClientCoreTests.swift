// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Requests on one link")
struct ClientCoreTests {
    private let done = Result<HostAnswer, any Error>.success(.gatt(.done))

    @Test("7.14 The host has one request at a time, in the order of the calls")
    func oneAtATime() {
        var bench = CoreBench()
        bench.ask(.read(CoreBench.value))
        bench.ask(.write(CoreBench.value, [1]))
        #expect(bench.questions == ["readLong"])
        bench.answer(.success(.gatt(.value([7]))))
        #expect(bench.questions == ["write"])
        bench.answer(done)
        #expect(bench.told == ["1 read [7]", "1 wrote ok"])
        #expect(bench.questions.isEmpty)
    }

    @Test("7.7 A write without response overtakes a pending read, but not a pending write")
    func commands() {
        var bench = CoreBench()
        let window = WriteWindow()
        bench.ask(.read(CoreBench.value))
        bench.ask(.command(CoreBench.value, [1], window))
        #expect(bench.questions == ["readLong", "writeWithoutResponse"])
        bench.ask(.write(CoreBench.value, [2]))
        bench.ask(.command(CoreBench.value, [3], window))
        #expect(bench.questions == ["readLong", "writeWithoutResponse"])
        bench.answer(.success(.gatt(.value([7]))))
        bench.answer(done)
        #expect(bench.questions == ["write"])
        bench.answer(done)
        #expect(bench.questions == ["writeWithoutResponse"])
    }

    @Test("6.4 A peripheral whose table cannot be read is discovered in parts")
    func parts() {
        var bench = CoreBench()
        bench.ask(.find(.services(.all)))
        #expect(bench.questions == ["table"])
        bench.refuse(.unlikelyError)
        #expect(bench.questions == ["discoverPrimaryServices"])
        bench.answer(.success(.gatt(.services([CoreBench.service]))))
        bench.ask(.find(.characteristics(.all, of: CoreBench.service)))
        #expect(bench.questions == ["discoverCharacteristics"])
        bench.answer(.success(.gatt(.characteristics([CoreBench.value]))))
        bench.ask(.setNotifying(true, CoreBench.value))
        #expect(bench.questions == ["discoverDescriptors"])
        bench.answer(.success(.gatt(.descriptors([CoreBench.configuration]))))
        #expect(bench.questions == ["subscribe"])
        bench.answer(done)
        #expect(bench.told == ["1 services 1", "1 characteristics 1", "1 notifying true"])
    }

    @Test("6.7 A failed discovery reports its error, and the next one may succeed")
    func failure() {
        var bench = CoreBench()
        bench.ask(.find(.services(.all)))
        bench.refuse(.unlikelyError)
        bench.refuse(.insufficientResources)
        #expect(bench.told == ["1 services CBATTError 17"])
    }

    @Test("6.6 After a change, the new table is read before anything else")
    func change() {
        var bench = CoreBench()
        bench.ask(.find(.services(.all)))
        bench.answerTable()
        bench.change(AttributeHandle(20)...AttributeHandle(30))
        bench.ask(.read(CoreBench.value))
        #expect(bench.questions == ["table"])
        bench.answerTable(withMore: true)
        #expect(bench.questions == ["readLong"])
        #expect(bench.told == ["1 services 1", "all modified 1 true"])
    }

    @Test(
        "6.6 A request refused after a change is repeated once if its attribute still exists"
    )
    func repetition() {
        var bench = CoreBench()
        bench.ask(.read(CoreBench.value))
        bench.refuse(.databaseOutOfSync)
        #expect(bench.questions == ["table"])
        bench.answerTable()
        #expect(bench.questions == ["readLong"])
        bench.refuse(.databaseOutOfSync)
        #expect(bench.told == ["1 read CBATTError 18"])
    }

    @Test("5.7 After a reconnection, the stored table is compared with the current one")
    func verification() {
        var bench = CoreBench(table: CoreBench.table(withMore: true))
        bench.ask(.read(CoreBench.value))
        #expect(bench.questions == ["table"])
        bench.answerTable()
        #expect(bench.told == ["all modified 1 false"])
        #expect(bench.questions == ["readLong"])
    }

    @Test("7.11 Two managers share a subscription, and the last one ends it")
    func sharing() {
        var bench = CoreBench()
        bench.ask(.setNotifying(true, CoreBench.value))
        bench.ask(.setNotifying(true, CoreBench.value), for: CoreBench.two)
        bench.answerTable()
        #expect(bench.questions == ["subscribe"])
        bench.answer(done)
        #expect(bench.questions.isEmpty)
        let handle = CoreBench.value.valueHandle
        #expect(bench.core.subscriptions.receivers(of: handle) == [CoreBench.one, CoreBench.two])
        bench.ask(.setNotifying(false, CoreBench.value))
        #expect(bench.questions.isEmpty)
        bench.leave(CoreBench.two)
        #expect(bench.questions == ["unsubscribe"])
        bench.answer(done)
        #expect(bench.core.subscriptions.receivers(of: handle).isEmpty)
        #expect(
            bench.told == ["1 notifying true", "2 notifying true", "1 notifying false"]
        )
    }

    @Test("5.4 A manager that disconnected gets no answers to its requests")
    func leaving() {
        var bench = CoreBench()
        bench.ask(.read(CoreBench.value))
        bench.ask(.read(CoreBench.value))
        bench.ask(.read(CoreBench.value), for: CoreBench.two)
        bench.leave(CoreBench.one)
        bench.answer(.success(.gatt(.value([1]))))
        bench.answer(.success(.gatt(.value([2]))))
        #expect(bench.told == ["2 read [2]"])
        #expect(bench.questions.isEmpty)
    }

    @Test("5.4 A manager that disconnects while it subscribes leaves no subscription")
    func leavingMidway() {
        var bench = CoreBench()
        bench.ask(.setNotifying(true, CoreBench.value))
        bench.answerTable()
        bench.leave(CoreBench.one)
        bench.answer(done)
        #expect(bench.questions == ["unsubscribe"])
        bench.answer(done)
        #expect(bench.questions.isEmpty)
        #expect(bench.told.isEmpty)
    }

    @Test(
        "5.6, 7.17 A request that ends with the link is not answered",
        arguments: [
            GATT.Failure.timedOut, .bearerClosed,
        ]
    )
    func linkEnd(failure: GATT.Failure) {
        var bench = CoreBench()
        bench.ask(.read(CoreBench.value))
        bench.ask(.read(CoreBench.value))
        while !bench.asked.isEmpty { bench.answer(.failure(failure)) }
        #expect(bench.told.isEmpty)
    }

    @Test("7.14 Requests beyond the limit are refused at once")
    func bound() {
        var bench = CoreBench()
        for _ in 0...ClientCore.waitingLimit { bench.ask(.read(CoreBench.value)) }
        #expect(bench.told.isEmpty)
        bench.ask(.read(CoreBench.value))
        #expect(bench.told == ["1 read CBError 4"])
    }

    @Test("7.16 A refused subscription has no effect")
    func refusedSubscription() {
        var bench = CoreBench()
        bench.ask(.setNotifying(true, CoreBench.value))
        bench.answerTable()
        bench.refuse(.insufficientAuthorization)
        #expect(bench.told == ["1 notifying CBATTError 8"])
        #expect(bench.core.subscriptions.receivers(of: CoreBench.value.valueHandle).isEmpty)
    }

    @Test("13.3 A restored subscription is reported only if it fails")
    func renotifying() {
        var bench = CoreBench()
        bench.ask(.renotify(CoreBench.value))
        bench.answerTable()
        bench.answer(done)
        #expect(bench.told.isEmpty)
        #expect(bench.core.subscriptions.isInForce(CoreBench.value.valueHandle))
    }
}
