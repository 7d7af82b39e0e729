// SPDX-License-Identifier: Apache-2.0

/// An observation: its closure is called for each event until the token is canceled or released.
public final class ObservationToken: Sendable {
    private let end: Locked<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = Locked(end)
    }

    deinit { cancel() }

    /// Ends the observation. A call of the closure that has already begun may still be running.
    public func cancel() {
        let end = end.change { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
