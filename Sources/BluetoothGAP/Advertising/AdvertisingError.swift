// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// The reason why advertising fails.
public enum AdvertisingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Raw data is too long.
    case dataTooLong(bytes: Int, limit: Int)
    /// Raw data is not a sequence of structures.
    case malformedData
    /// Raw data has flags in the scan response (Supplement, Part A, 1.3.2).
    case flagsInScanResponse
    /// The controller has only `limit` advertising sets. A legacy controller has one.
    case tooManySets(limit: Int)
    /// The controller does not support what the text names, or the kind of advertising or the
    /// host's privacy does not allow it.
    case unsupported(String)
    /// The controller refused a command with this code.
    case refused(HCI.ErrorCode)
    /// The controller did not answer a command.
    case unanswered
    /// The set has ended.
    case ended

    /// A description in one sentence without a period at its end.
    public var description: String {
        switch self {
        case .dataTooLong(let bytes, let limit):
            "the data has \(bytes) bytes, but at most \(limit) fit"
        case .malformedData: "the data is not a sequence of advertising structures"
        case .flagsInScanResponse: "a scan response must not contain flags"
        case .tooManySets(let limit): "all \(limit) advertising set(s) of the controller are in use"
        case .unsupported(let what): "not supported: \(what)"
        case .refused(let code): "the controller refused to advertise: \(code)"
        case .ended: "the advertising set has ended"
        case .unanswered: "the controller did not answer an advertising command"
        }
    }
}

/// The reason for the end of an advertising set.
public enum AdvertisingEnd: Sendable, Hashable {
    /// The application stopped the set.
    case stopped
    /// The set led to a connection and does not continue after it.
    case connected
    /// The duration of the set, or the time limit of high duty cycle advertising, is over.
    case durationElapsed
    /// The set has reached its number of advertisements.
    case eventLimitReached
    /// The set failed with this error.
    case failed(AdvertisingError)
    /// The host shut down.
    case closed
}
