// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Publishes services and advertises them.
open class CBPeripheralManager: CBManager {
    /// A manager without a delegate.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// A manager that calls `delegate` on `queue`; nil stands for the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that calls `delegate` on `queue`; nil stands for the main queue.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        super.init(options: options)
        self.delegate = delegate
    }

    /// Who hears of what happens.
    open weak var delegate: (any CBPeripheralManagerDelegate)?

    /// Whether the manager advertises.
    open var isAdvertising: Bool { false }

    /// Whether the application may advertise in the background.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    /// Starts advertising.
    open func startAdvertising(_ advertisementData: [String: Any]?) {}

    /// Ends advertising.
    open func stopAdvertising() {}

    /// Says how soon data should reach a central.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency,
        for central: CBCentral
    ) {}

    /// Publishes a service.
    open func add(_ service: CBMutableService) {}

    /// Withdraws a service.
    open func remove(_ service: CBMutableService) {}

    /// Withdraws all services.
    open func removeAllServices() {}

    /// Answers a request.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {}

    /// Sends a value to centrals that have subscribed.
    open func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool { false }

    /// Accepts L2CAP channels.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {}

    /// Accepts no more L2CAP channels.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}
