// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why something that was asked of an accessory, or of its central, did not come about.
public enum AccessoryError: Error, Hashable, Sendable {
    // MARK: Bluetooth

    /// There is no Bluetooth Low Energy here.
    case unsupported
    /// The application may not use Bluetooth, until the person changes that in the settings.
    case unauthorized
    /// A scan for everything around was asked for, which the configuration does not allow
    /// (`AccessoryCentral.Configuration.allowsUnfilteredScans`): name a service in the matcher.
    case unfilteredScan
    /// The central was shut down, or let go of.
    case shutDown

    // MARK: Getting ready

    /// The central was not told of an accessory of this kind when it was made.
    case unknownKind(String)
    /// None was found in time.
    case notFound(after: Duration)
    /// One was found, and could not be connected to in time.
    case connectingTimedOut(after: Duration)
    /// It was connected to, and a later step had no end: in which state it stood.
    case stepTimedOut(AccessoryState, after: Duration)
    /// The attempt failed, or the link ended before the accessory was ready, and how.
    case attemptFailed(LinkFailure)
    /// It refuses what it keeps for those that it is paired with: nobody paired.
    case notPaired
    /// All links that there may be are taken, and by whom.
    case outOfConnectionSlots(OutOfConnectionSlots)
    /// It was forgotten, or disconnected, meanwhile.
    case abandoned(ChangeReason)

    // MARK: Values

    /// It is not connected, and so cannot be asked.
    case notConnected
    /// It has no such characteristic, or its description does not mention it.
    case unknownCharacteristic(BluetoothID)
    /// The characteristic is none that can be read, written like this, or subscribed to.
    case notPermitted(BluetoothID)
    /// The accessory, or the system, refused the request: with the code of the Attribute Protocol
    /// (Vol 3, Part F, 3.4.1.1), or nil if it was something else, which the text says.
    case refused(code: Int?, text: String)
    /// What was read is no value of the type that was asked for, and why not.
    case malformed(BluetoothID, ValueError)
    /// It did not answer in time.
    case requestTimedOut(after: Duration)
    /// So many questions wait for their answers already.
    case tooManyRequests(limit: Int)
    /// The value is longer than one write can be, in octets.
    case tooLong(length: Int, maximum: Int)
    /// So many writes wait already.
    case tooManyWrites(limit: Int)
    /// The link ended before all was written: so many octets of the value had been sent. Those of a
    /// write without response may not have arrived.
    case writeInterrupted(sent: Int, of: Int)
    /// The link ended before the answer came.
    case linkEnded
    /// The store could not erase it. That is tried again as long as the central is there.
    case notErased
    /// The accessory's services changed before the answer came: they are being discovered again.
    case servicesChanged
    /// The task that waited was cancelled.
    case cancelled
}
