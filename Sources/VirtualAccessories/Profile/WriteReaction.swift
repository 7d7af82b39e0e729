// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

/// What an accessory does when a client writes a value.
public struct WriteReaction: Sendable {
    /// What becomes of the write.
    public enum Outcome: Sendable {
        /// It is accepted, and then the accessory does this.
        case accepted([AccessoryDeed])
        /// It is refused; to a write without response nobody is told.
        case refused(ATT.ErrorCode)
    }

    /// Judges the octets that were written. What is to be kept of them is put into the values. It
    /// must depend on nothing else.
    let judge: @Sendable (_ written: [UInt8], _ values: inout AccessoryValues) -> Outcome

    /// The reaction that judges in this way.
    public init(
        _ judge: @escaping @Sendable ([UInt8], inout AccessoryValues) -> Outcome
    ) {
        self.judge = judge
    }
}

/// What an accessory can do beside answering.
public enum AccessoryDeed: Sendable {
    /// Sends a stream to the client, if that is subscribed to the characteristic.
    case send(ValueStream, of: BluetoothUUID)
    /// Sends octets to the client behind those that wait already, in as many values as they need, if
    /// that is subscribed to the characteristic. There is a limit to how many wait: what does not fit is
    /// dropped as a whole.
    case sendOctets([UInt8], of: BluetoothUUID)
    /// Ends the connection.
    case disconnect
    /// Asks the Central for another connection interval.
    case requestInterval(Duration)
    /// Serves something more, and tells the client, if that is subscribed to Service Changed.
    case addService(AccessoryProfile.Service)
    /// Serves all services with the UUID no more, and tells the client, if that is subscribed to
    /// Service Changed.
    case removeServices(BluetoothUUID)
    /// Changes a value, and tells nobody.
    case setValue([UInt8], of: BluetoothUUID)
    /// Loses all that it keeps of bonded peers. A link that there is stays as it is.
    case forgetBonds
    /// Advertises from another address from now on: a new private one, if it rotates, and else a new
    /// random static one.
    case changeAddress
}
