// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

// Foundation is not imported here: CoreBluetooth exports it.

@Suite("Apple's headers as Swift imports them")
struct ImportRuleTests {
    private let options = [CBManagerOptionAdapterKey: "none"]

    @Test("15.1.4 A manager can be made without options, a delegate or a queue")
    func defaults() {
        let scan: (CBCentralManager) -> Void = { $0.scanForPeripherals(withServices: nil) }
        let connect: (CBCentralManager, CBPeripheral) -> Void = { $0.connect($1) }
        let register: (CBCentralManager) -> Void = { $0.registerForConnectionEvents() }
        _ = (scan, connect, register)
        let queue = DispatchQueue(label: "defaults")
        let managers: [CBManager] = [
            CBCentralManager(), CBPeripheralManager(),
            CBCentralManager(delegate: nil, queue: queue),
            CBPeripheralManager(delegate: nil, queue: queue),
            CBCentralManager(delegate: nil, queue: nil, options: options),
        ]
        #expect(managers.allSatisfy { [.unknown, .unsupported].contains($0.state) })
    }

    @Test("15.1.4 A call with two arguments uses the shorter of two initializers")
    func overloads() {
        final class ObservedManager: CBCentralManager {
            static nonisolated(unsafe) var options: [String: Any]? = [:]

            override init(
                delegate: (any CBCentralManagerDelegate)?,
                queue: DispatchQueue?,
                options: [String: Any]? = nil
            ) {
                Self.options = options
                super.init(delegate: delegate, queue: queue, options: options)
            }
        }
        _ = ObservedManager(delegate: nil, queue: DispatchQueue(label: "overloads"))
        #expect(ObservedManager.options == nil)
    }

    @Test("15.1.6 The members of a channel need no unwrapping")
    func channels() {
        let open: (CBL2CAPChannel) -> Void = { $0.inputStream.open() }
        let name: (CBL2CAPChannel) -> UUID = { $0.peer.identifier }
        let write: (CBL2CAPChannel) -> OutputStream = { $0.outputStream }
        _ = (open, name, write)
        let empty = CBL2CAPChannel()
        #expect(empty.peer == nil)
        #expect(empty.inputStream == nil)
        #expect(empty.outputStream == nil)
    }

    @Test("15.1.7 Enumerations, option sets and errors are Sendable")
    func values() {
        let values: [any Sendable] = [
            CBManagerState.poweredOn, CBError.Code.unknown, CBATTError.Code.success,
            CBCharacteristicProperties.read, CBAttributePermissions.readable,
            CBCentralManager.Feature.extendedScanAndConnect, CBError(.unknown),
            CBATTError(.invalidHandle), CBConnectionEventMatchingOption.serviceUUIDs,
        ]
        #expect(values.count == 9)
    }

    @Test("15.1.9 The types that Linux lacks are declared")
    @available(*, deprecated)
    func types() {
        let moment: CFAbsoluteTime = Date(timeIntervalSinceReferenceDate: 12)
            .timeIntervalSinceReferenceDate
        #expect(moment == 12)
        let now = Date().timeIntervalSinceReferenceDate
        #expect(CFAbsoluteTimeGetCurrent() - now < 60)
        #expect(CFAbsoluteTimeGetCurrent() >= now)
        let queue: dispatch_queue_t? = .main
        _ = CBCentralManager(delegate: nil, queue: queue, options: options)
        let uuid: CFUUID = NSUUID()
        #expect(CBUUID(cfuuid: uuid).uuidString == uuid.uuidString)
    }
}
