// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The reaction of an accessory to a write of a value.
public struct WriteReaction: Sendable {
    /// The result of a write.
    public enum Outcome: Sendable {
        /// The write is accepted, and then the accessory performs these actions.
        case accepted([AccessoryAction])
        /// The write is refused. For a write without response, the client is not informed.
        case refused(ATT.ErrorCode)
    }

    /// A closure that decides on the written bytes, and stores new values. The result must depend
    /// on the arguments alone.
    let react: @Sendable (_ written: [UInt8], _ values: inout AccessoryValues) -> Outcome

    /// Creates a reaction.
    public init(
        _ react: @escaping @Sendable ([UInt8], inout AccessoryValues) -> Outcome
    ) {
        self.react = react
    }
}

/// An action of an accessory other than an answer.
public enum AccessoryAction: Sendable {
    /// Sends a stream to the client, if it is subscribed to the characteristic.
    case send(ValueStream, of: BluetoothUUID)
    /// Sends bytes to the client after those that wait already, in as many values as they need, if
    /// the client is subscribed to the characteristic. The number of waiting bytes is limited.
    /// Bytes that do not fit are dropped as a whole.
    case sendBytes([UInt8], of: BluetoothUUID)
    /// Ends the connection. The response to the write may not be sent.
    case disconnect
    /// Requests another connection interval from the central.
    case requestInterval(Duration)
    /// Adds a service, and indicates the change to a client that is subscribed to Service Changed.
    case addService(SimpleAccessoryProfile.Service)
    /// Removes all services with the UUID and the services that include them, and indicates the
    /// change to a client that is subscribed to Service Changed.
    case removeServices(BluetoothUUID)
    /// Changes a value without a notification.
    case setValue([UInt8], of: BluetoothUUID)
    /// Deletes all data of bonded peers. The security of an existing link stays.
    case forgetBonds
    /// Advertises from another address from now on: a new private address if the address rotates,
    /// or else a new random static address. Has no effect if the accessory uses the public address.
    /// During a link, the change waits until the link has ended.
    case changeAddress
}

/// The values that an accessory sends one after the other, from the moment when a client subscribes
/// or an action starts the stream.
public struct ValueStream: Sendable {
    /// The time between two values. With zero, values are sent as fast as the link permits.
    public var period: Duration
    /// The number of values; `nil` for no end.
    public var limit: Int?
    /// A closure that returns the value with this number, counted from 0. The result must depend on
    /// the number alone.
    public var value: @Sendable (Int) -> [UInt8]

    /// Creates a stream of the values.
    public init(
        every period: Duration,
        limit: Int? = nil,
        value: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.period = max(period, .zero)
        self.limit = limit
        self.value = value
    }
}
