// SPDX-License-Identifier: Apache-2.0

/// Whether what the controller does is to rest, for something that it forbids beside.
enum Pause: Sendable {
    case none
    /// It is to come to rest, and has not yet.
    case asked
    case made
}
