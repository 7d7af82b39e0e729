// SPDX-License-Identifier: Apache-2.0

/// An object that detects when the code of an application, on any of its threads, has nothing more
/// to do for the moment.
///
/// An air with a watch takes turns with the application: while the application works, no other work
/// runs on the air, and time does not advance.
package protocol ApplicationWatch: Sendable {
    /// Called on the air's thread before code of the application runs because of the air. It may
    /// block until the application's turn, if applications share resources of the process.
    func applicationWillRun()

    /// Calls `settled` after `count` rounds. A round ends when all work has run that the
    /// application had enqueued outside the air before the round. Called on any thread, after code
    /// of the application has run.
    func settle(times count: Int, _ settled: @escaping @Sendable () -> Void)

    /// Called on the air's thread when the application has nothing more to do, or the air no longer
    /// waits for it.
    func applicationBecameIdle()

    /// Runs a job outside the air. It was enqueued on the air, which stopped before it ran the job.
    func runElsewhere(_ job: UnownedJob)
}

/// The state of an application with which an executor takes turns.
struct ApplicationState: Sendable {
    /// The number of rounds of `settle(times:_:)` after which the application counts as idle. One
    /// round is not enough, because work that runs in a round may enqueue more work outside the
    /// air.
    static let settlementCount = 3

    let watch: any ApplicationWatch
    /// Whether the application has run since it last settled.
    var isUnsettled = false
    /// Whether the watch was informed that the application works.
    var isRunningApplication = false
    /// Whether the air continues although the application works, because the application may be
    /// waiting for the air.
    var runsInParallel = false

    mutating func noteActivity() { isUnsettled = true }
}
