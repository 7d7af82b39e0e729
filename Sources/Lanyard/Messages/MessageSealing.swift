// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What makes messages unreadable for others: a layer inside the framing.
///
/// A value that may count: a mode that refuses repeated messages remembers what it has opened. One
/// value seals what one side sends and opens what it receives.
public protocol MessageSealing: Sendable {
    /// The message as nobody else can read it.
    mutating func seal(_ message: Data) throws -> Data

    /// The message that was sealed.
    ///
    /// - Throws: If it was sealed with another key, was changed on its way, or is refused because it
    ///   came before.
    mutating func open(_ sealed: Data) throws -> Data
}
