// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension LinkFailure {
    /// Creates a failure from an error of the framework. An error that is neither a `CBError` nor a
    /// `CBATTError` has the kind ``Kind/unknown``.
    ///
    /// - Parameter error: The error.
    public init(_ error: any Error) {
        switch error {
        case let error as CBError: self.init(error)
        case let error as CBATTError: self.init(error)
        default: self.init(.unknown, "\(error)")
        }
    }

    /// Creates a failure from an error of a link. A code without a known meaning has the kind
    /// ``Kind/unknown``.
    ///
    /// - Parameter error: The error.
    public init(_ error: CBError) {
        self.init(linkCode: error.code.rawValue, error.localizedDescription)
    }

    /// Creates a failure from a refusal of the accessory. The kind is ``Kind/notPaired`` if the
    /// accessory requires authentication, authorization, encryption or a longer key, and otherwise
    /// ``Kind/refused``.
    ///
    /// - Parameter error: The refusal.
    public init(_ error: CBATTError) {
        self.init(attributeCode: error.code.rawValue, error.localizedDescription)
    }
}

extension OutOfRangeRule {
    /// Creates a rule from these codes.
    ///
    /// - Parameter codes: The codes of the errors that mean *out of range*.
    public init(_ codes: Set<CBError.Code>) {
        self.init(codes: Set(codes.map(\.rawValue)))
    }
}
