// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualAccessories

@testable import PlainClient

@Suite("Clients in plain Swift 5")
struct PlainClientTests {
    @Test("Measurements of both widths are decoded, and truncated ones are refused")
    func rates() {
        #expect(HeartRateMonitor.rate(in: Data([0x00, 72])) == 72)
        #expect(HeartRateMonitor.rate(in: Data([0x01, 0x2C, 0x01])) == 300)
        #expect(HeartRateMonitor.rate(in: Data([0x01, 0x2C])) == nil)
        #expect(HeartRateMonitor.rate(in: Data()) == nil)
    }

    @Test("A switch over the states has a case for each, and one for future states")
    func states() throws {
        #expect(HeartRateMonitor.name(of: .poweredOn) == "on")
        let future = try #require(CBManagerState(rawValue: 42))
        #expect(HeartRateMonitor.name(of: future) == "state 42")
    }

    @Test("A notebook accepts the parts of a long write as one value")
    func notebook() throws {
        let notebook = Notebook()
        let whole = try notebook.written([(0, Data("ab".utf8)), (2, Data("cd".utf8))]).get()
        #expect(whole == Data("abcd".utf8))
        #expect(throws: CBATTError(.invalidOffset)) {
            try notebook.written([(1, Data([1]))]).get()
        }
        let error = #expect(throws: CBATTError.self) {
            try notebook.written([(0, Data(count: 513))]).get()
        }
        #expect(error?.code.rawValue == 0x80)
        #expect(notebook.makeService().characteristics?.count == 2)
    }
}

@Suite("Delegates with one or both of the disconnection methods")
struct DisconnectionTests {
    /// Returns the calls that a delegate gets when the app cancels a connection.
    private func calls(
        by make: @escaping @Sendable (Journal) -> any CBCentralManagerDelegate
    ) async throws -> [String] {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        let journal = Journal()
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Strap")
            let strap = try #require(phone["Strap"])
            phone.manager.connect(strap)
            await phone.journal.wait(for: "connected Strap")
            let delegate = make(journal)
            phone.queue.sync { phone.manager.delegate = delegate }
            phone.manager.cancelPeripheralConnection(strap)
            await journal.wait { !$0.isEmpty }
            phone.queue.sync {}
            withExtendedLifetime(delegate) {}
        }
        return journal.lines
    }

    @Test("15.1.8, 5.1.4 A delegate with both methods gets only the older one")
    func both() async throws {
        #expect(try await calls { journal in LegacyDelegate { journal.add($0) } } == ["older"])
    }

    @Test("15.1.8, 5.1.5 A delegate with only the newer method gets that one")
    func newer() async throws {
        #expect(try await calls { journal in ModernDelegate { journal.add($0) } } == ["newer"])
    }

    @Test("15.1.8 A delegate needs only one method")
    func neither() {
        let delegate = MinimalDelegate()
        let manager = CBCentralManager(
            delegate: delegate,
            queue: DispatchQueue(label: "delegate"),
            options: [CBManagerOptionAdapterKey: "none"]
        )
        #expect(manager.delegate === delegate)
    }

    @Test("1.3 A delegate is not retained")
    func weakness() {
        var delegate: MinimalDelegate? = MinimalDelegate()
        let options = [CBManagerOptionAdapterKey: "none"]
        // A callback would retain the delegate.
        let queue = DispatchQueue(label: "delegate")
        queue.suspend()
        defer { queue.resume() }
        let central = CBCentralManager(delegate: delegate, queue: queue, options: options)
        #expect(central.delegate != nil)
        weak let former = delegate
        delegate = nil
        #expect(former == nil)
        #expect(central.delegate == nil)
    }
}
