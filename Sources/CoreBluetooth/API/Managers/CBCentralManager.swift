// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Finds peripherals and connects to them.
open class CBCentralManager: CBManager {
    /// A manager without a delegate.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// A manager that calls `delegate` on `queue`; nil stands for the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that calls `delegate` on `queue`; nil stands for the main queue.
    public init(
        delegate: (any CBCentralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        super.init(options: options)
        self.delegate = delegate
    }

    /// Who hears of what happens.
    open weak var delegate: (any CBCentralManagerDelegate)?

    /// Whether a scan is running.
    open var isScanning: Bool { false }

    /// Whether the adapter has all of `features`.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool { false }

    /// The peripherals that are known by these identifiers.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] { [] }

    /// The connected peripherals that have at least one of these services.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        []
    }

    /// Starts a scan.
    open func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?,
        options: [String: Any]? = nil
    ) {}

    /// Ends the scan.
    open func stopScan() {}

    /// Connects to a peripheral, however long it takes.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {}

    /// Gives up a connection, or the attempt to make one.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {}

    /// Asks to be told of connections that others make.
    open func registerForConnectionEvents(
        options: [CBConnectionEventMatchingOption: Any]? = nil
    ) {}
}
