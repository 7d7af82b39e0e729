// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What an application meets of L2CAP: connection-oriented channels with credits.
public enum L2CAP {
    /// Names what a channel is for: the service that the peer listens with (Vol 3, Part A, 4.22).
    ///
    /// 0x0001 to 0x007F are assigned by the Bluetooth SIG, 0x0080 to 0x00FF are for anybody, and
    /// mostly found in an attribute of a GATT service.
    public struct SPSM: OpenCode, ExpressibleByIntegerLiteral {
        /// The number.
        public let rawValue: UInt16

        /// Makes the name of any number, whether channels can have it or not; see `isValid`.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Lets a number be written where one is wanted.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }

        /// The Enhanced Attribute Protocol (Assigned Numbers, 2.5).
        public static let enhancedATT = SPSM(rawValue: 0x0027)

        /// Those that a host may give out by itself.
        public static let dynamicRange: ClosedRange<UInt16> = 0x0080...0x00FF

        /// Whether a channel can be asked for by this number.
        public var isValid: Bool { (0x0001...0x00FF).contains(rawValue) }

        /// The names of those that are assigned and known here.
        public static let names: [UInt16: String] = [0x0025: "OTS", 0x0027: "EATT"]
    }

    /// Which of the two kinds of channel with credits one is.
    public enum Mode: Sendable, Equatable {
        /// LE Credit Based Flow Control Mode, of Bluetooth 4.1 (Vol 3, Part A, 10.1).
        case credit
        /// Enhanced Credit Based Flow Control Mode, of Bluetooth 5.2: several channels are opened
        /// by one request, and their sizes can be changed (Vol 3, Part A, 10.2).
        case enhanced

        /// The least MTU and MPS, in octets (Vol 3, Part A, 4.22 and 4.25).
        package var sizeMinimum: Int { self == .credit ? 23 : 64 }
    }

    /// How a channel ended, or why there is none.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The peer refused the channel.
        case refused(ConnectionResult)
        /// The peer refused other sizes.
        case reconfigurationRefused(ReconfigurationResult)
        /// The peer does not know this kind of channel.
        case notSupported
        /// The peer did not answer within 30 seconds.
        case timedOut
        /// The peer granted a channel that cannot exist.
        case malformedAnswer
        /// The link has as many channels as it can have, or as many requests wait as may.
        case noRoom
        /// The SDU is longer than the peer takes: that many octets.
        case tooLong(limit: Int)
        /// The channel was closed on this side.
        case closed
        /// The peer closed the channel.
        case closedByPeer
        /// The peer broke the rules, and the channel was closed for it.
        case violated(Violation)
        /// Another listener has this number, or no number is left.
        case alreadyListening
        /// The number is none that channels can have, or sizes and credits are out of range.
        case invalidParameters

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .refused(let result): "the peer refused the channel: \(result)"
            case .reconfigurationRefused(let result): "the peer refused the sizes: \(result)"
            case .notSupported: "the peer does not support such channels"
            case .timedOut: "the peer did not answer"
            case .malformedAnswer: "the peer granted a channel that cannot exist"
            case .noRoom: "there is no room for another channel or request"
            case .tooLong(let limit): "longer than the peer takes: \(limit) octets"
            case .closed: "the channel is closed"
            case .closedByPeer: "the peer closed the channel"
            case .violated(let violation): "the peer broke the rules: \(violation)"
            case .alreadyListening: "another listener has this number"
            case .invalidParameters: "no channel can have these parameters"
            }
        }
    }

    /// What a peer can do wrong on an open channel; each ends it (Vol 3, Part A, 3.4.3 and 10.1).
    public enum Violation: Error, Sendable, Equatable, CustomStringConvertible {
        /// A frame came though none was allowed.
        case noCredit
        /// A frame is longer than our MPS.
        case frameTooLong
        /// The first frame of an SDU is too short to tell its length.
        case lengthMissing
        /// An SDU is longer than our MTU.
        case sduTooLong
        /// More octets came than the SDU announced.
        case sduOverrun
        /// More than 65,535 credits were given.
        case creditOverflow
        /// The peer gave its end of the channel to another as well.
        case sharedEnd

        /// A few words.
        public var description: String {
            switch self {
            case .noCredit: "data without credit"
            case .frameTooLong: "a frame longer than the MPS"
            case .lengthMissing: "an SDU without a length"
            case .sduTooLong: "an SDU longer than the MTU"
            case .sduOverrun: "an SDU longer than it says"
            case .creditOverflow: "more credits than there can be"
            case .sharedEnd: "two channels with the same end"
            }
        }
    }
}
