// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import HCITransports

// Calls on the host's thread without a suspension. A task that runs on this thread need not be
// enqueued for the actor, because the thread runs one unit of work at a time.
extension BluetoothHost {
    /// Delivers an event of the transport. Call it on the host's executor.
    nonisolated func take(_ event: TransportEvent) {
        executor.checkIsolated()
        Self.takeUnchecked(self, event)
    }

    /// Runs `body` as `performAsOne(_:)` does. Call it on the host's executor.
    nonisolated func performAsOneOnOwnThread(
        _ body: @escaping @Sendable (isolated BluetoothHost) -> Void
    ) {
        executor.checkIsolated()
        Self.performAsOneUnchecked(self, body)
    }

    /// Sends a value as a notification at once, if the caller runs on the host's thread and no
    /// other value waits. A suspension of the task would cost more than the sending.
    ///
    /// - Returns: Whether the value was sent.
    /// - Throws: The errors of `notifyAtOnce(_:of:on:)`.
    nonisolated func notifyWithoutSuspension(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) throws -> Bool {
        guard isOnOwnThread else { return false }
        return try Self.notifyUnchecked(self, value, handle, link)
    }

    /// Sends a value as a Write Command at once, if the caller runs on the host's thread and
    /// nothing else waits.
    ///
    /// - Returns: Whether the value was sent.
    nonisolated func writeWithoutSuspension(
        _ value: [UInt8],
        to handle: AttributeHandle,
        on link: LinkIdentifier
    ) -> Bool {
        guard isOnOwnThread else { return false }
        return Self.writeUnchecked(self, value, handle, link)
    }

    // `assumeIsolated` allocates two closures for each call, which would be the only allocations
    // for a packet. These functions do the same without a closure. The conversion removes the
    // isolation from the type of a function, and changes neither its arguments nor its code. All
    // callers check that they run on the actor's executor.
    private static let takeUnchecked = unsafeBitCast(
        takeIsolated,
        to: (@Sendable (BluetoothHost, TransportEvent) -> Void).self
    )
    private static let takeIsolated: @Sendable (isolated BluetoothHost, TransportEvent) -> Void = {
        $0.receive($1)
    }

    private static let notifyUnchecked = unsafeBitCast(
        notifyIsolated,
        to: (@Sendable (BluetoothHost, [UInt8], AttributeHandle, LinkIdentifier) throws -> Bool)
            .self
    )
    private static let notifyIsolated:
        @Sendable (isolated BluetoothHost, [UInt8], AttributeHandle, LinkIdentifier) throws -> Bool =
            { try $0.notifyAtOnce($1, of: $2, on: $3) }

    private static let writeUnchecked = unsafeBitCast(
        writeIsolated,
        to: (@Sendable (BluetoothHost, [UInt8], AttributeHandle, LinkIdentifier) -> Bool).self
    )
    private static let writeIsolated:
        @Sendable (isolated BluetoothHost, [UInt8], AttributeHandle, LinkIdentifier) -> Bool = {
            $0.writeAtOnce($1, to: $2, on: $3)
        }

    private static let performAsOneUnchecked = unsafeBitCast(
        performAsOneIsolated,
        to: (@Sendable (BluetoothHost, @escaping Body) -> Void).self
    )
    private static let performAsOneIsolated:
        @Sendable (isolated BluetoothHost, @escaping Body) -> Void = { $0.performAsOne($1) }

    private typealias Body = @Sendable (isolated BluetoothHost) -> Void

    private static let beginUnchecked = unsafeBitCast(
        beginIsolated,
        to: (@Sendable (BluetoothHost, NewRequest) -> Void).self
    )
    private static let beginIsolated: @Sendable (isolated BluetoothHost, NewRequest) -> Void = {
        $0.begin($1.id, isAlwaysTaken: $1.isAlwaysTaken, $1.start, $1.cancel, $1.continuation)
    }

    /// The arguments of `begin`.
    private struct NewRequest {
        let id: RequestIdentifier
        let isAlwaysTaken: Bool
        let start: @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
        let cancel: @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
        let continuation: CheckedContinuation<HostAnswer, any Error>
    }

    /// Starts a request as `perform(isAlwaysTaken:_:onCancel:)` does, for a caller on the host's
    /// thread. The caller must not be isolated to an actor, because a nonisolated asynchronous
    /// method does not run on the executor of its caller's actor, and could leave the thread.
    @inline(__always)
    nonisolated func performOnOwnThread(
        isAlwaysTaken: Bool,
        _ start: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void,
        onCancel cancel: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
    ) async throws -> HostAnswer {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                executor.checkIsolated()
                let request = NewRequest(
                    id: id,
                    isAlwaysTaken: isAlwaysTaken,
                    start: start,
                    cancel: cancel,
                    continuation: continuation
                )
                Self.beginUnchecked(self, request)
            }
        } onCancel: {
            execute { $0.giveUp(id, cancel) }
        }
    }
}
