// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI

/// The errors of `BluetoothHost` and `Link`.
///
/// Their operations also throw `GATT.Failure` (a GATT operation failed), `L2CAP.Failure` (a channel
/// failed), `Pairing.Failure` and ``SecurityRefusal`` (a pairing failed), `AdvertisingError`
/// (advertising failed), and `CancellationError` (the task was canceled).
public enum HostError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The adapter is not usable, or it became unusable during the operation.
    case adapter(AdapterFailure)
    /// The host was shut down. A request that is pending on an open link fails with
    /// `disconnected(_:)` instead, if the controller confirms the disconnection in time.
    case closed
    /// The operation did not succeed within its time limit.
    case timedOut
    /// The controller refused a command with this code.
    case controller(HCI.ErrorCode)
    /// The controller did not answer this command, although it answers others.
    case commandTimedOut
    /// The controller's answer cannot be read.
    case malformedAnswer
    /// The controller does not have this feature.
    case unsupported(String)
    /// The link ended for this reason.
    case disconnected(HCI.ErrorCode)
    /// The controller refused to connect, or the link ended before it was usable, with this code.
    case failedToConnect(HCI.ErrorCode)
    /// The host is connected to this address, or is connecting to it.
    case alreadyConnecting
    /// The same procedure is already running, or another task waits for the same SDUs, channels or
    /// events.
    case busy
    /// A queue of requests is full.
    ///
    /// The limits of a host are `HostCore.requestLimit` (1,024) requests, `HostCore.scanLimit` (16)
    /// scans, `CentralScheduler.requestLimit` (256) connection requests, and
    /// `CommandQueueLimits.pendingLimit` (128) commands to the controller. The first limit does not
    /// apply to requests that end a link or a channel, or that wait for a channel or for its end.
    ///
    /// The limits of a link are `HeldRequests.limit` (64) requests that await encryption,
    /// `LinkProtection.waiterLimit` (64) requests that await a pairing, and
    /// `LinkServing.queueLimit` (4,096) values to be sent.
    case tooManyRequests
    /// The application took values more slowly than they arrived until the buffer of the stream was
    /// full.
    case notificationsOverflowed
    /// The characteristic supports neither notifications nor indications, or has no Client
    /// Characteristic Configuration descriptor.
    case notSubscribable
    /// The peer has not subscribed to the value, or there is no such value.
    case notSubscribed
    /// The value's permissions require more protection than the link has. The code is the one with
    /// which the server would refuse a read.
    case notPermitted(ATT.ErrorCode)
    /// The peer does not know the changed database yet, and could associate the value's handle with
    /// another attribute (Vol 3, Part G, 2.5.2.1). The host is informing the peer of the change.
    case outOfSync
    /// The host and the peer share no key that this operation could use.
    case notBonded
    /// The link could not be encrypted, and the host ended it.
    case encryptionFailed(HCI.ErrorCode)
    /// The link to a bonded peer is not encrypted, or was not encrypted in time. Also the reason
    /// for the end of a link whose encryption ended, or whose pairing failed after it had encrypted
    /// the link.
    case notEncrypted
    /// The peer has lost the keys of its bond, or another device uses its address. The host ended
    /// the link. The bond stays until the application removes it.
    case bondLost
    /// There is no room for another bond, because the peers of all existing bonds are connected.
    case tooManyBonds
    /// The keys of a pairing could not be written to the store, for the reason in the text. The
    /// pairing has failed, and the host ends the link. An earlier bond with the peer remains.
    case bondNotStored(String)

    /// A description in one sentence without a period at its end.
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
        case .busy: "the same procedure is already running"
        case .tooManyRequests: "too many requests are waiting"
        case .notificationsOverflowed: "values arrived faster than the application took them"
        case .notSubscribable: "the characteristic neither notifies nor indicates"
        case .notSubscribed: "the peer has not subscribed to the value"
        case .notPermitted(let code):
            "the link lacks the protection that the value requires: \(code)"
        case .outOfSync: "the peer does not know the server's changed database yet"
        case .notBonded: "the host shares no key with the peer"
        case .encryptionFailed(let reason): "the link could not be encrypted: \(reason)"
        case .notEncrypted: "the link is not encrypted"
        case .bondLost: "the peer has lost the keys of its bond, or is another device"
        case .tooManyBonds: "there is no room for another bond"
        case .bondNotStored(let reason): "the keys could not be stored: \(reason)"
        }
    }
}

extension HostError {
    /// Creates the error for a command that failed. The queue discards a command if the adapter
    /// fails or the queue is full.
    init(_ failure: CommandFailure, _ state: AdapterState) {
        self =
            switch failure {
            case .refused(let code): .controller(code)
            case .timedOut: .commandTimedOut
            case .discarded: state.obstacle ?? .tooManyRequests
            case .malformed: .malformedAnswer
            }
    }

    /// Creates the error for a connection request that failed.
    init(ofConnecting failure: CentralFailure, _ state: AdapterState) {
        self =
            if case .refused(let code) = failure {
                .failedToConnect(code)
            } else {
                HostError(ofScanning: failure, state)
            }
    }

    /// Creates the error for a scan that failed.
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

    /// The error of a connection request whose link ended before it was usable. If the host ended
    /// the link, the reason is that the peer never answered on it.
    var asFailureToConnect: HostError {
        switch self {
        case .disconnected(.connectionTerminatedByLocalHost): .timedOut
        case .disconnected(let reason): .failedToConnect(reason)
        default: self
        }
    }
}
