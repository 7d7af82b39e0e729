// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that the app computes each time a central reads it.
///
/// ```swift
/// let clock = ComputedValue { central in
///     guard guests.contains(central) else { throw AttributeError.insufficientAuthorization }
///     return Data("\(Date.now)".utf8)
/// }
/// ```
///
/// The closure runs in a task of its own, once for each reading. A central reads a long value in
/// several parts. All parts come from the value that was computed for the first part, unless more
/// than 64 long values are being read at a time. If the closure throws an ``AttributeError`` or a
/// `CBATTError`, the central gets its code. For any other error, the central gets
/// ``AttributeError/unlikelyError``. If the closure takes longer than
/// ``AccessoryPeripheral/Configuration/readTimeout``, its task is canceled, and the central gets
/// the same error. If 64 values are already being computed, the central gets
/// ``AttributeError/insufficientResources``.
///
/// Two values are equal if one is a copy of the other.
public struct ComputedValue: Hashable, Sendable {
    /// The closure, in an object whose identity distinguishes the closure from others.
    private final class Source: Sendable {
        let body: @Sendable (UUID) async throws -> Data

        init(_ body: @escaping @Sendable (UUID) async throws -> Data) {
            self.body = body
        }
    }

    private let source: Source

    /// Creates a value from the closure that computes it.
    ///
    /// - Parameter body: A closure that receives the identifier of the central that reads, and
    ///   returns the value. Bytes beyond 512 are cut off (Vol 3, Part F, 3.2.9).
    public init(_ body: @escaping @Sendable (_ central: UUID) async throws -> Data) {
        source = Source(body)
    }

    /// Returns whether both values have the same closure.
    public static func == (one: Self, other: Self) -> Bool { one.source === other.source }

    /// Hashes the identity of the closure.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }

    /// Computes the value for a central.
    func compute(for central: UUID) async -> Result<Data, any Error> {
        do {
            return .success(
                Data(try await source.body(central).prefix(PeripheralValues.lengthLimit))
            )
        } catch {
            return .failure(error)
        }
    }
}
