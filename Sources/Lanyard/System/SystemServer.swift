// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The published services of this device, and its advertising.
///
/// All calls and events are on the queue with which it was created. Characteristics are named by
/// their UUIDs, which are unique among the published services.
package protocol SystemServer: AnyObject, Sendable {
    /// Starts the server. Called once, before all other methods.
    ///
    /// - Parameter receive: A closure that receives all events.
    func begin(_ receive: @escaping @Sendable (SystemServerEvent) -> Void)
    /// Stops the advertising, removes the services, and ends the server.
    func end()

    /// Publishes services in place of all earlier ones. The event `published` reports the result
    /// for each service.
    func publish(_ services: [PublishedService])
    /// Starts advertising, in place of an advertisement that the system continues. The event
    /// `advertisingStarted` reports the result.
    func advertise(name: String, services: [BluetoothID])
    /// Answers a request.
    ///
    /// - Parameter result: The value from the requested offset on, or the error that refuses the
    ///   request. For a write, the value is ignored.
    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>)

    /// Returns the centrals that subscribe to a published characteristic.
    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber]
    /// Sends a value to subscribers of a published characteristic.
    ///
    /// - Parameters:
    ///   - centrals: The receivers; `nil` for all subscribers.
    ///   - delivered: A closure that is called once, on any thread. Its argument states whether all
    ///     receivers got the value or, if the system does not report that, whether the system
    ///     accepted the value. `nil` if the result is not needed.
    /// - Returns: Whether there was room. If not, `delivered` is not called, and `hasRoom` follows.
    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to centrals: [UUID]?,
        delivered: (@Sendable (Bool) -> Void)?
    ) -> Bool
    /// Returns the ATT error with which to refuse a request after the app's code has thrown
    /// `error`. Returns `nil` if `error` is not a `CBATTError`.
    func refusal(for error: any Error) -> AttributeError?
}

/// The number of a request of a central. Unique in its server.
package typealias ServerRequestNumber = Int

/// A central that subscribes to a characteristic.
package struct SystemSubscriber: Hashable, Sendable {
    /// The identifier that the system assigns to the central.
    package let identifier: UUID
    /// The maximum length of a value for it, in bytes.
    package let maximumLength: Int

    package init(identifier: UUID, maximumLength: Int) {
        self.identifier = identifier
        self.maximumLength = maximumLength
    }
}

/// An event of a `SystemServer`.
package enum SystemServerEvent: Sendable {
    /// The availability of Bluetooth changed. If it is not `poweredOn`, all links have ended.
    case availabilityChanged(Availability)
    /// The system preserved the services with these characteristics while the app did not run.
    /// Precedes every other event.
    case restored([BluetoothID])
    /// A service was published, or could not be published for this reason.
    case published(BluetoothID, failure: String?)
    /// The advertising started, or could not start for this reason.
    case advertisingStarted(failure: String?)
    /// A central subscribed to a characteristic.
    case subscribed(SystemSubscriber, BluetoothID)
    /// A central, with this identifier, ended its subscription to a characteristic.
    case unsubscribed(UUID, BluetoothID)
    /// A central reads a characteristic.
    case read(ServerRead)
    /// A central writes values, which are accepted or refused together.
    case written(ServerRequestNumber, by: UUID, [PeripheralValues.Write])
    /// There is room again for `SystemServer.send`.
    case hasRoom
}

/// A request of a central to read a characteristic.
package struct ServerRead: Hashable, Sendable {
    package let number: ServerRequestNumber
    package let central: SystemSubscriber
    package let characteristic: BluetoothID
    package let offset: Int

    package init(
        number: ServerRequestNumber,
        central: SystemSubscriber,
        characteristic: BluetoothID,
        offset: Int
    ) {
        self.number = number
        self.central = central
        self.characteristic = characteristic
        self.offset = offset
    }
}
