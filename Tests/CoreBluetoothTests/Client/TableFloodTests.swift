// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothPort
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// A peripheral that reports changes of its services all the time.
@Suite("Continuous changes of services")
struct TableFloodTests {
    private let everything = AttributeHandle.first...AttributeHandle.last

    @Test("6.6 Any number of changes causes one pending reading of the database")
    func bound() {
        var harness = CoreHarness()
        harness.ask(.read(CoreHarness.value))
        for _ in 0..<10_000 {
            harness.change(everything)
            #expect(harness.core.waiting.count { $0.request.isRefresh } == 1)
            #expect(harness.core.waiting.count == 1)
        }
    }

    @Test("7.14 An app's requests are answered despite continuous changes")
    func progress() {
        var harness = CoreHarness()
        for _ in 0..<20 { harness.ask(.read(CoreHarness.value)) }
        var answers = 0
        while harness.posted.count(where: { $0.hasPrefix("1 read [") }) < 20, answers < 1_000 {
            // The changes concern other services than that of the requests.
            harness.change(AttributeHandle(20)...AttributeHandle.last)
            answers += 1
            if harness.questions.first == "table" {
                harness.answerTable()
            } else {
                harness.answer(.success(.gatt(.value([7]))))
            }
        }
        #expect(answers < 1_000)
        #expect(harness.core.waiting.count <= 1)
    }

    @Test("1.2 Events that peers cause may be dropped, and answers to the app may not")
    func dispensable() {
        let peer = CoreWorld.peers[0]
        let modified = RemoteEvent.servicesModified([everything], isReportedByPeer: true)
        #expect(CentralEvent.peripheral(peer, modified).isDispensable)
        #expect(CentralEvent.peripheral(peer, .nameChanged("Strap")).isDispensable)
        #expect(CentralEvent.connectionEvent(isConnected: true, peer).isDispensable)
        #expect(!CentralEvent.peripheral(peer, .readyToWrite).isDispensable)
        #expect(!CentralEvent.connected(peer, ConnectionRequestNumber.next()).isDispensable)
    }
}
