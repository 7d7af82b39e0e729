// SPDX-License-Identifier: Apache-2.0

/// A simulated process of an app: ending it ends its centrals, even if other objects still
/// hold them.
package final class ApplicationProcess: Sendable {
    private let ends = Locked<[@Sendable () -> Void]>([])

    /// Creates a process without centrals.
    package init() {}

    func add(_ lifetime: CentralLifetime) {
        ends.change { $0.append { [weak lifetime] in lifetime?.driver.close() } }
    }

    /// Ends all centrals of the process.
    package func end() {
        let ends = ends.change { ends in
            defer { ends = [] }
            return ends
        }
        for end in ends { end() }
    }
}
