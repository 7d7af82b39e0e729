// SPDX-License-Identifier: Apache-2.0

/// A closure that is called when something happens, as long as this is kept.
public final class ObservationToken: Sendable {
    private let end: Guarded<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = Guarded(end)
    }

    deinit { cancel() }

    /// Ends it. A call that has begun already may still be going on.
    public func cancel() {
        let end = end.change { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
