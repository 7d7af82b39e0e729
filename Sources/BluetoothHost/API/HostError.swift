// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI

/// What the operations of `BluetoothHost` and `Link` throw, apart from `GATT.Failure` (what became
/// of a GATT operation), `AdvertisingError` (why something is not advertised) and
/// `CancellationError` (the task was cancelled).
public enum HostError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The adapter is not usable now, or stopped being usable while this waited.
    case adapter(AdapterFailure)
    /// The host was shut down.
    case closed
    /// The time allowed has passed.
    case timedOut
    /// The controller refused a command with this code.
    case controller(HCI.ErrorCode)
    /// The controller did not answer this command, though it answers others.
    case commandTimedOut
    /// The controller answered with something that cannot be read.
    case malformedAnswer
    /// The controller does not have this feature.
    case unsupported(String)
    /// The link ended, for this reason.
    case disconnected(HCI.ErrorCode)
    /// The link could not be established: the peer did not take part in it, or the controller
    /// refused to try.
    case failedToConnect(HCI.ErrorCode)
    /// A connection to this address exists or is being made already.
    case alreadyConnecting
    /// The same procedure is already running on this link; ask again when it is done.
    case busy
    /// More is waiting, or running, than is held: `HostCore.requestLimit` (1,024) requests of a host
    /// (what makes room, or waits for a channel or its end, is never refused for that),
    /// `HostCore.scanLimit` (16) scans, `CentralScheduler.requestLimit` (256) connections,
    /// `CommandQueue.pendingLimit` (128) commands to the controller; and of one link
    /// `HeldRequests.limit` (64) requests until it is encrypted, `LinkProtection.waiterLimit` (64) for
    /// a pairing, and `LinkServing.waitingLimit` (4,096) values to be sent.
    case tooManyRequests
    /// Values arrived faster than they were taken for so long that one would have been lost.
    case notificationsOverflowed
    /// The characteristic can neither notify nor indicate, or has no configuration descriptor.
    case notSubscribable
    /// The peer has not subscribed to the value, or there is no such value.
    case notSubscribed
    /// The peer may not have the value on a link with this little protection; the code is what a
    /// read would be refused with.
    case notPermitted(ATT.ErrorCode)
    /// The peer does not know the server's table as it is now, and is being told: a value would
    /// reach it under a handle that means something else to it (Vol 3, Part G, 2.5.2.1).
    case outOfSync
    /// No key is shared with the peer that could be used for this.
    case notBonded
    /// The link could not be encrypted, and was ended.
    case encryptionFailed(HCI.ErrorCode)
    /// The peer is bonded, and has not encrypted the link in the time allowed; or it was encrypted,
    /// and is no more. Nothing is said to a bonded peer without encryption.
    case notEncrypted
    /// The peer has lost the keys of its bond, or is somebody else who uses its address. The link was
    /// ended; the bond stays until it is removed.
    case bondLost
    /// There is no room for another bond: the peers of all that there are are connected.
    case tooManyBonds

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .adapter(let failure): failure.description
        case .closed: "the host is shut down"
        case .timedOut: "no answer in the time allowed"
        case .controller(let code): "the controller refused: \(code)"
        case .commandTimedOut: "the controller did not answer the command"
        case .malformedAnswer: "the controller's answer cannot be read"
        case .unsupported(let feature): "the controller does not support \(feature)"
        case .disconnected(let reason): "the link ended: \(reason)"
        case .failedToConnect(let reason): "the connection could not be made: \(reason)"
        case .alreadyConnecting: "a connection to this address exists or is being made"
        case .busy: "the same procedure is already running on this link"
        case .tooManyRequests: "too many requests are waiting"
        case .notificationsOverflowed: "values arrived faster than they were taken"
        case .notSubscribable: "the characteristic neither notifies nor indicates"
        case .notSubscribed: "the peer has not subscribed to the value"
        case .notPermitted(let code): "the link is not protected as the value asks for: \(code)"
        case .outOfSync: "the peer has yet to learn that the server's table changed"
        case .notBonded: "no key is shared with the peer"
        case .encryptionFailed(let reason): "the link could not be encrypted: \(reason)"
        case .notEncrypted: "the link to the bonded peer is not encrypted"
        case .bondLost: "the peer has lost the keys of its bond, or is another device"
        case .tooManyBonds: "there is no room for another bond"
        }
    }
}

extension HostError {
    /// What became of a command. It is discarded where the adapter fails, or too many wait.
    init(_ failure: CommandFailure, _ state: AdapterState) {
        self =
            switch failure {
            case .refused(let code): .controller(code)
            case .timedOut: .commandTimedOut
            case .discarded: state.obstacle ?? .tooManyRequests
            case .malformed: .malformedAnswer
            }
    }

    /// What became of an attempt to connect.
    init(ofConnecting failure: CentralFailure, _ state: AdapterState) {
        self =
            if case .refused(let code) = failure {
                .failedToConnect(code)
            } else {
                HostError(ofScanning: failure, state)
            }
    }

    /// What became of scanning.
    init(ofScanning failure: CentralFailure, _ state: AdapterState) {
        self =
            switch failure {
            case .refused(let code): .controller(code)
            case .unanswered: .commandTimedOut
            case .cancelled: .timedOut
            case .controllerReset: state.obstacle ?? .adapter(.unresponsive)
            case .tooManyRequests: .tooManyRequests
            }
    }

    /// The same of a link that ended before it could be used. One that the host itself ended is one
    /// on which the peer never answered.
    var asFailureToConnect: HostError {
        switch self {
        case .disconnected(.connectionTerminatedByLocalHost): .timedOut
        case .disconnected(let reason): .failedToConnect(reason)
        default: self
        }
    }
}
