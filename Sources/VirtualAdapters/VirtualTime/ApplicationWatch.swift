// SPDX-License-Identifier: Apache-2.0

/// What knows when the code of an application, on whatever thread it runs, has nothing more to do for
/// the moment.
///
/// An air that has one takes turns with the application: as long as that is at work, nothing else runs
/// on the air, and time stands still.
package protocol ApplicationWatch: Sendable {
    /// Something of the application is about to run because of the air. Called on its thread; may make
    /// it wait for its turn, where applications share what there is once in a process.
    func willWork()

    /// Calls `settled` when all has run that the application has enqueued so far where the air does not
    /// see it. Called on the air's thread, after something of the application has run.
    func settle(_ settled: @escaping @Sendable () -> Void)

    /// The application has nothing more to do, or is left alone. Called on the air's thread.
    func rests()

    /// Runs a job elsewhere that was handed to the air, which does not run any more.
    func giveBack(_ job: UnownedJob)
}

/// What an executor knows of the application that it takes turns with.
struct ApplicationAccount: Sendable {
    /// How often the application has to have settled, with nothing of it running in between, until it is
    /// believed: what it enqueues elsewhere may enqueue more elsewhere.
    static let settlementCount = 3

    let watch: any ApplicationWatch
    /// How often it has still to settle.
    var unsettledCount = 0
    /// Whether it has been told that it has work to do.
    var isEngaged = false
    /// Whether the air goes on although the application is at work: that may be waiting for the air.
    var isHurried = false

    mutating func somethingRan() { unsettledCount = Self.settlementCount }
}
