// SPDX-License-Identifier: Apache-2.0

extension Task where Failure == Never {
    /// Starts a task whose code without an actor runs on the thread of `executor`.
    ///
    /// Systems before iOS 18 and macOS 15 have no task executors. There, that code runs on Swift's
    /// shared threads, as it does without an executor.
    ///
    /// - Parameter executor: `nil` for Swift's shared threads.
    @discardableResult
    package init(
        preferring executor: (any HostExecutor)?,
        operation: sending @escaping () async -> Success
    ) {
        if let executor, #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(executorPreference: executor.taskExecutor, operation: operation)
        } else {
            self.init(operation: operation)
        }
    }
}
