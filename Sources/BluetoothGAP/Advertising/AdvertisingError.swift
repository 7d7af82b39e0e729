// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Why something cannot be advertised.
public enum AdvertisingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Raw data is longer than there is room for.
    case dataTooLong(octets: Int, limit: Int)
    /// Raw data is no row of structures.
    case malformedData
    /// Raw data has flags in the scan response (Supplement, Part A, 1.3.2).
    case flagsInScanResponse
    /// The controller has no more advertising sets than these; a legacy controller has one.
    case tooManySets(limit: Int)
    /// The controller cannot do this, or the kind of advertising does not allow it.
    case unsupported(String)
    /// The controller refused a command with this code.
    case refused(HCI.ErrorCode)
    /// The controller did not answer a command.
    case unanswered
    /// The set is over already.
    case ended

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .dataTooLong(let octets, let limit):
            "\(octets) octets of data are too many: there is room for \(limit)"
        case .malformedData: "the data is not a row of advertising structures"
        case .flagsInScanResponse: "a scan response carries no flags"
        case .tooManySets(let limit): "the controller has \(limit) advertising set(s), all in use"
        case .unsupported(let what): "not possible here: \(what)"
        case .refused(let code): "the controller refused to advertise: \(code)"
        case .ended: "the advertising is over"
        case .unanswered: "the controller did not answer a command about advertising"
        }
    }
}

/// Why advertising that had begun is over.
public enum AdvertisingEnd: Sendable, Hashable {
    /// It was stopped.
    case stopped
    /// It has led to a connection, and was not to go on after that.
    case connected
    /// Its time is over.
    case durationElapsed
    /// It has advertised as often as it was asked to.
    case eventLimitReached
    /// The controller would not go on.
    case failed(AdvertisingError)
    /// The host was shut down.
    case closed
}
