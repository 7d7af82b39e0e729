// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A central of the system: it scans, connects, and uses the attributes of peripherals.
///
/// All calls and events are on the queue with which it was created. Calls return at once, and
/// events report their results. For one peripheral, the events of each kind arrive in the order of
/// the calls.
package protocol SystemCentral: AnyObject, Sendable {
    /// The availability of Bluetooth.
    var availability: Availability { get }

    /// Starts the central. Called once, before all other methods.
    ///
    /// - Parameter receive: A closure that receives all events.
    func begin(_ receive: @escaping @Sendable (SystemCentralEvent) -> Void)
    /// Ends the central, which sends no further events.
    func end()
    /// Sets whether the app is in the background, for a system that cannot find that out by itself.
    func setInBackground(_ isInBackground: Bool)

    /// Scans until `stopScan()`. Replaces an earlier scan.
    func scan(_ scan: PlannedScan)
    /// Stops the scan.
    func stopScan()

    /// Returns the peripherals with these identifiers that the system knows, in this order.
    func peripherals(with identifiers: [UUID]) -> [SystemPeripheral]
    /// Returns the connected peripherals with one of these services, whichever app uses them.
    func connectedPeripherals(with services: [BluetoothID]) -> [SystemPeripheral]
    /// Requests a connection, without a time limit. The caller keeps the peripheral until the end
    /// of the link or of the request is reported.
    func connect(_ peripheral: SystemPeripheral, _ options: ConnectionOptions)
    /// Cancels a connection or a connection request.
    func cancelConnection(_ peripheral: SystemPeripheral)
    /// Returns the state of the link to a peripheral.
    func linkState(of peripheral: SystemPeripheral) -> SystemLinkState

    /// Returns the maximum lengths of writes to a connected peripheral, and whether a write without
    /// response is possible now.
    func writeCapacity(of peripheral: SystemPeripheral) -> WriteCapacity
    /// Sends a request to a connected peripheral. The central ignores the request if the attribute
    /// is no longer valid.
    func send(_ request: PeripheralRequest, to peripheral: SystemPeripheral)
}

/// The options of a connection request.
package struct ConnectionOptions: Hashable, Sendable {
    /// Whether the system, if it can, connects again after the loss of the link.
    package var reconnects: Bool
    /// The time before the first attempt.
    package var delay: Duration

    package init(reconnects: Bool, delay: Duration = .zero) {
        self.reconnects = reconnects
        self.delay = delay
    }
}

/// The state of the link to a peripheral.
package enum SystemLinkState: Hashable, Sendable {
    case disconnected
    case connecting
    case connected
    case disconnecting
}

/// A request to a peripheral.
package enum PeripheralRequest: Sendable {
    /// Discover the services with these UUIDs; all services if `nil`.
    case discoverServices([BluetoothID]?)
    /// Discover the services that a service includes.
    case discoverIncludedServices(of: AttributeReference)
    /// Discover the characteristics of a service with these UUIDs; all of them if `nil`.
    case discoverCharacteristics([BluetoothID]?, of: AttributeReference)
    /// Discover the descriptors of a characteristic.
    case discoverDescriptors(of: AttributeReference)
    /// Read a characteristic or a descriptor.
    case read(AttributeReference)
    /// Write a characteristic.
    case write(Data, to: AttributeReference, withResponse: Bool)
    /// Subscribe to a characteristic, or end the subscription.
    case setNotifying(Bool, AttributeReference)
    /// Measure the signal strength.
    case readSignal
    /// Open an L2CAP channel with this number.
    case openChannel(UInt16)
}
