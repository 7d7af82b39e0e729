// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The namespace of L2CAP in the API: connection-oriented channels with credits.
public enum L2CAP {
    /// The identifier of the service behind a channel, for which the peer listens (Vol 3, Part A,
    /// 4.22).
    ///
    /// The Bluetooth SIG assigns 0x0001 to 0x007F. Any application may use 0x0080 to 0x00FF, and
    /// usually publishes its value in an attribute of a GATT service.
    public struct SPSM: OpenCode, ExpressibleByIntegerLiteral {
        /// The SPSM's number.
        public let rawValue: UInt16

        /// Creates an SPSM from any number. `isValid` states whether a channel can have it.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Creates an SPSM from an integer literal.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }

        /// The Enhanced Attribute Protocol (Assigned Numbers, 2.5).
        public static let enhancedATT = SPSM(rawValue: 0x0027)

        /// The range from which a host assigns numbers dynamically.
        public static let dynamicRange: ClosedRange<UInt16> = 0x0080...0x00FF

        /// Whether a channel request can have this number.
        public var isValid: Bool { (0x0001...0x00FF).contains(rawValue) }

        /// The names of the assigned numbers that this package knows.
        public static let names: [UInt16: String] = [0x0025: "OTS", 0x0027: "EATT"]
    }

    /// The mode of a credit-based channel.
    public enum Mode: Sendable, Equatable {
        /// LE Credit Based Flow Control Mode, of Bluetooth 4.1 (Vol 3, Part A, 10.1).
        case credit
        /// Enhanced Credit Based Flow Control Mode, of Bluetooth 5.2 (Vol 3, Part A, 10.2).
        ///
        /// One request opens several channels, and their sizes can be changed.
        case enhanced

        /// The minimum MTU and MPS in bytes (Vol 3, Part A, 4.22 and 4.25).
        package var sizeMinimum: Int { self == .credit ? 23 : 64 }
    }

    /// The reason why a channel ended or could not be opened.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The peer refused the channel.
        case refused(ConnectionResult)
        /// The peer refused the requested sizes.
        case reconfigurationRefused(ReconfigurationResult)
        /// The peer does not support this kind of channel.
        case notSupported
        /// The peer did not answer within 30 seconds, or within 60 seconds after a pending
        /// response.
        case timedOut
        /// The peer's response describes a channel that is not allowed.
        case malformedAnswer
        /// The link has reached its limit of channels or of outstanding requests, or the channel
        /// its limit of waiting SDUs.
        case noRoom
        /// The SDU is longer than the maximum length that the peer receives, in bytes.
        case tooLong(limit: Int)
        /// The local host closed the channel, or an operation was requested on a channel that is
        /// not open.
        case closed
        /// The peer closed the channel.
        case closedByPeer
        /// The peer violated a rule of the channel, and the local host closed it.
        case violated(Violation)
        /// The SPSM is in use, no SPSM is free, or the host has too many listeners.
        case alreadyListening
        /// The SPSM is not valid for a channel, or sizes or credits are out of range.
        case invalidParameters

        /// A description in one sentence without a period at its end.
        public var description: String {
            switch self {
            case .refused(let result): "the peer refused the channel: \(result)"
            case .reconfigurationRefused(let result): "the peer refused the sizes: \(result)"
            case .notSupported: "the peer does not support such channels"
            case .timedOut: "the peer did not answer"
            case .malformedAnswer: "the peer's response describes a channel that is not allowed"
            case .noRoom: "a limit of channels, requests or waiting SDUs is reached"
            case .tooLong(let limit): "the SDU is longer than the peer accepts: \(limit) bytes"
            case .closed: "the channel is closed"
            case .closedByPeer: "the peer closed the channel"
            case .violated(let violation): "the peer violated the channel's rules: \(violation)"
            case .alreadyListening: "the SPSM is in use, none is free, or too many listeners exist"
            case .invalidParameters: "the channel parameters are not valid"
            }
        }
    }

    /// A violation of the channel's rules by the peer, each of which ends the channel (Vol 3, Part
    /// A, 3.4.3 and 10.1).
    public enum Violation: Error, Sendable, Equatable, CustomStringConvertible {
        /// A frame arrived without a credit.
        case noCredit
        /// A frame is longer than the local MPS.
        case frameTooLong
        /// The first frame of an SDU is too short for the SDU's length field.
        case lengthMissing
        /// An SDU is longer than the local MTU.
        case sduTooLong
        /// More bytes arrived than the SDU's length announced.
        case sduOverrun
        /// The credits add up to more than 65,535.
        case creditOverflow
        /// The peer used its end of the channel for a second channel.
        case sharedEnd

        /// A short phrase that describes the violation.
        public var description: String {
            switch self {
            case .noCredit: "data without credit"
            case .frameTooLong: "a frame longer than the MPS"
            case .lengthMissing: "an SDU without a length"
            case .sduTooLong: "an SDU longer than the MTU"
            case .sduOverrun: "an SDU longer than its announced length"
            case .creditOverflow: "more than 65,535 credits"
            case .sharedEnd: "two channels with the same peer end"
            }
        }
    }
}
