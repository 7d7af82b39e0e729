// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The reason why a request to an accessory or its central failed.
public enum AccessoryError: Error, Hashable, Sendable {
    // MARK: Bluetooth

    /// This device has no Bluetooth Low Energy.
    case unsupported
    /// The app may not use Bluetooth. A person may be able to change that in the settings.
    case unauthorized
    /// The scan has no service filter, which the configuration does not allow
    /// (`AccessoryCentral.Configuration.allowsUnfilteredScans`). Name a service in the matcher.
    case unfilteredScan
    /// The central was shut down or released, or the accessory was forgotten.
    case shutDown

    // MARK: Becoming ready

    /// The central was created without a description of this kind.
    case unknownKind(String)
    /// No accessory was found in time.
    case notFound(after: Duration)
    /// An accessory was found, but the connection was not made in time.
    case connectingTimedOut(after: Duration)
    /// The accessory was connected, but a later step took too long; the value is the state of that
    /// step.
    case stepTimedOut(AccessoryState, after: Duration)
    /// The attempt failed, or the link ended before the accessory was ready.
    case attemptFailed(LinkFailure)
    /// The accessory refuses the values that only paired centrals may use, because the pairing did
    /// not take place.
    case notPaired
    /// The device that was chosen for a pairing is already an accessory of this other kind. Forget
    /// that accessory first.
    case alreadyPaired(kind: String)
    /// All connection slots are in use; the value names the accessories that hold them.
    case outOfConnectionSlots(OutOfConnectionSlots)
    /// The accessory became idle for this reason. For example, it was forgotten or disconnected.
    case abandoned(ChangeReason)

    // MARK: Values

    /// The accessory is not connected.
    case notConnected
    /// The accessory lacks the characteristic, or its description does not declare it.
    case unknownCharacteristic(BluetoothID)
    /// The characteristic does not permit this operation: reading, this kind of write, or
    /// subscribing.
    case notPermitted(BluetoothID)
    /// The accessory or the system refused the request. `code` is the error code of the Attribute
    /// Protocol (Vol 3, Part F, 3.4.1.1), or `nil` for a refusal without such a code. `text`
    /// describes the reason.
    case refused(code: Int?, text: String)
    /// The value that was read is not a valid value of the requested type, for this reason.
    case malformed(BluetoothID, ValueError)
    /// The accessory did not answer in time.
    case requestTimedOut(after: Duration)
    /// Too many requests already wait for their answers.
    case tooManyRequests(limit: Int)
    /// The value is longer than one write permits; both lengths are in bytes.
    case tooLong(length: Int, maximum: Int)
    /// Too many writes already wait.
    case tooManyWrites(limit: Int)
    /// The link or the central ended, or the service changed, before the whole value was written.
    /// The numbers are the bytes sent and the bytes of the value. The bytes sent may not all have
    /// arrived.
    case writeInterrupted(sent: Int, of: Int)
    /// The link ended before the answer arrived.
    case linkEnded
    /// The store failed to erase the accessory. The central repeats the attempt until it succeeds
    /// or the central ends.
    case notErased
    /// The accessory's services changed before the answer arrived. The library discovers them
    /// again.
    case servicesChanged
    /// The waiting task was canceled.
    case cancelled
}

extension AccessoryError {
    /// The failure of the link or of the attempt that the error contains; `nil` if it contains
    /// none.
    ///
    /// ```swift
    /// do {
    ///     try await accessory.untilReady()
    /// } catch where error.failure?.kind == .unpaired {
    ///     offerToPairAgain()
    /// }
    /// ```
    public var failure: LinkFailure? {
        switch self {
        case .attemptFailed(let failure): failure
        case .abandoned(let reason): reason.failure
        default: nil
        }
    }
}
