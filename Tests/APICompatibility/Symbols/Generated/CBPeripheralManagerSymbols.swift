// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralManagerSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(203, "CBPeripheralManager") { _ in
                let _: CBManager.Type = CBPeripheralManager.self
                let _: CBPeripheralManager.Type = OpenCBPeripheralManager.self
            },
            Symbol(204, "CBPeripheralManager.init()") { _ in
                let _: () -> CBPeripheralManager = CBPeripheralManager.init
            },
            Symbol(205, "CBPeripheralManager.init(delegate:queue:)") { _ in
                let _:
                    ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?) -> CBPeripheralManager =
                        CBPeripheralManager.init(delegate:queue:)
            },
            Symbol(206, "CBPeripheralManager.init(delegate:queue:options:)") { _ in
                let _:
                    ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) ->
                        CBPeripheralManager = CBPeripheralManager.init(delegate:queue:options:)
                let _:
                    ((any CBPeripheralManagerDelegate)?, dispatch_queue_t?) -> CBPeripheralManager =
                        { CBPeripheralManager(delegate: $0, queue: $1) }
            },
            Symbol(207, "CBPeripheralManager.delegate") { _ in
                let _:
                    ReferenceWritableKeyPath<
                        CBPeripheralManager, (any CBPeripheralManagerDelegate)?
                    > = \.delegate
            },
            Symbol(208, "CBPeripheralManager.isAdvertising") { _ in
                let _: KeyPath<CBPeripheralManager, Bool> = \.isAdvertising
            },
            Symbol(209, "CBPeripheralManager.authorizationStatus()") { _ in
                let _: () -> CBPeripheralManagerAuthorizationStatus = CBPeripheralManager
                    .authorizationStatus
            },
            Symbol(210, "CBPeripheralManager.startAdvertising(_:)") { _ in
                let _: (CBPeripheralManager) -> ([String: Any]?) -> Void = CBPeripheralManager
                    .startAdvertising(_:)
            },
            Symbol(211, "CBPeripheralManager.stopAdvertising()") { _ in
                let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.stopAdvertising
            },
            Symbol(212, "CBPeripheralManager.setDesiredConnectionLatency(_:for:)") { _ in
                let _:
                    (CBPeripheralManager) -> (CBPeripheralManagerConnectionLatency, CBCentral) ->
                        Void = CBPeripheralManager.setDesiredConnectionLatency(_:for:)
            },
            Symbol(213, "CBPeripheralManager.add(_:)") { _ in
                let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager
                    .add(_:)
            },
            Symbol(214, "CBPeripheralManager.remove(_:)") { _ in
                let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager
                    .remove(_:)
            },
            Symbol(215, "CBPeripheralManager.removeAllServices()") { _ in
                let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.removeAllServices
            },
            Symbol(216, "CBPeripheralManager.respond(to:withResult:)") { _ in
                let _: (CBPeripheralManager) -> (CBATTRequest, CBATTError.Code) -> Void =
                    CBPeripheralManager.respond(to:withResult:)
            },
            Symbol(217, "CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)") { _ in
                let _:
                    (CBPeripheralManager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool =
                        CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)
            },
            Symbol(218, "CBPeripheralManager.publishL2CAPChannel(withEncryption:)") { _ in
                let _: (CBPeripheralManager) -> (Bool) -> Void = CBPeripheralManager
                    .publishL2CAPChannel(withEncryption:)
            },
            Symbol(219, "CBPeripheralManager.unpublishL2CAPChannel(_:)") { _ in
                let _: (CBPeripheralManager) -> (CBL2CAPPSM) -> Void = CBPeripheralManager
                    .unpublishL2CAPChannel(_:)
            },
        ]
    }
}

private class OpenCBPeripheralManager: CBPeripheralManager {
    override init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: dispatch_queue_t?,
        options: [String: Any]? = nil
    ) {
        super.init(delegate: delegate, queue: queue, options: options)
    }

    override var delegate: (any CBPeripheralManagerDelegate)? {
        get { super.delegate }
        set { super.delegate = newValue }
    }

    override var isAdvertising: Bool { super.isAdvertising }

    @available(*, deprecated)
    override class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        super.authorizationStatus()
    }

    override func startAdvertising(_ advertisementData: [String: Any]?) {
        super.startAdvertising(advertisementData)
    }

    override func stopAdvertising() {
        super.stopAdvertising()
    }

    override func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency,
        for central: CBCentral
    ) {
        super.setDesiredConnectionLatency(latency, for: central)
    }

    override func add(_ service: CBMutableService) {
        super.add(service)
    }

    override func remove(_ service: CBMutableService) {
        super.remove(service)
    }

    override func removeAllServices() {
        super.removeAllServices()
    }

    override func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        super.respond(to: request, withResult: result)
    }

    override func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        super.updateValue(value, for: characteristic, onSubscribedCentrals: centrals)
    }

    override func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        super.publishL2CAPChannel(withEncryption: encryptionRequired)
    }

    override func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        super.unpublishL2CAPChannel(PSM)
    }
}
