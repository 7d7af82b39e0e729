// SPDX-License-Identifier: Apache-2.0

/// Why an accessory's state has changed.
public enum ChangeReason: Hashable, Sendable {
    /// It has not yet.
    case begun
}
