// SPDX-License-Identifier: Apache-2.0

/// A process that a test begins and ends: with it end its centrals, whoever has them still.
package final class ApplicationProcess: Sendable {
    private let ends = Guarded<[@Sendable () -> Void]>([])

    /// One without centrals.
    package init() {}

    func add(_ life: CentralLife) {
        ends.change { $0.append { [weak life] in life?.driver.close() } }
    }

    /// Ends all centrals that there are.
    package func end() {
        let ends = ends.change { ends in
            defer { ends = [] }
            return ends
        }
        for end in ends { end() }
    }
}
