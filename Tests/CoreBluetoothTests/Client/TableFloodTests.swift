// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

/// A peripheral that says all the time that its services have changed.
@Suite("A flood of changed services")
struct TableFloodTests {
    private let everything = AttributeHandle.first...AttributeHandle.last

    @Test("6.6 However often services change, one look at them waits")
    func bound() {
        var bench = CoreBench()
        bench.ask(.read(CoreBench.value))
        for _ in 0..<10_000 {
            bench.change(everything)
            #expect(bench.core.waiting.count { $0.request.isRefresh } == 1)
            #expect(bench.core.waiting.count == 1)
        }
    }

    @Test("7.14 What an application asks for has its turn among changes without end")
    func progress() {
        var bench = CoreBench()
        for _ in 0..<20 { bench.ask(.read(CoreBench.value)) }
        var answers = 0
        while bench.told.count(where: { $0.hasPrefix("1 read") }) < 20, answers < 1_000 {
            bench.change(everything)
            answers += 1
            if bench.questions.first == "table" {
                bench.answerTable()
            } else {
                bench.answer(.success(.gatt(.value([7]))))
            }
        }
        #expect(answers < 1_000)
        #expect(bench.core.waiting.count <= 1)
    }

    @Test("1.2 What peers cause by themselves may be dropped, what was asked for may not")
    func dispensable() {
        let peer = CoreWorld.peers[0]
        let modified = PeripheralEvent.servicesModified([everything], isToldByPeer: true)
        #expect(CentralEvent.peripheral(peer, modified).isDispensable)
        #expect(CentralEvent.peripheral(peer, .nameChanged("Strap")).isDispensable)
        #expect(CentralEvent.connectionEvent(.peerConnected, peer).isDispensable)
        #expect(!CentralEvent.peripheral(peer, .readyToWrite).isDispensable)
        #expect(!CentralEvent.connected(peer, WishNumber.next()).isDispensable)
    }
}
