// SPDX-License-Identifier: Apache-2.0

/// Whether the controller's activities pause, for a change that the controller forbids during them.
enum Pause: Sendable {
    case none
    /// The activities have to stop and have not all stopped yet.
    case asked
    case made
}
