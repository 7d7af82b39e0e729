// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import VirtualAdapters

/// Where the keys are that commands share with bonded peers.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where bonds are kept.",
            discussion: """
                Without this option, a directory of each adapter, in $XDG_STATE_HOME/lanyard or \
                ~/.local/state/lanyard; and none for a virtual adapter, whose accessories forget \
                everything when the command ends.
                """,
            valueName: "directory"
        )
    )
    var store: String?

    @Flag(help: "Neither use bonds nor keep any.")
    var noStore = false

    /// Where the bonds are that are made with this adapter.
    func choice(
        for adapter: AdapterChoice,
        environment: [String: String]
    ) throws(ProgramFailure) -> StoreChoice {
        if let explicit { return try explicit.get() }
        guard case .reached(let specification) = adapter else { return .none }
        return StoreChoice.ofAdapter(specification, environment: environment).known
    }

    /// What the options say without regard to the adapter; nil for nothing.
    var explicit: Result<StoreChoice, ProgramFailure>? {
        switch (store, noStore) {
        case (nil, false): nil
        case (nil, true): .success(.none)
        case ("", _), (_?, true):
            .failure(
                .usage(
                    "--store and --no-store make no sense this way",
                    advice: "give one of them, --store with a directory"
                )
            )
        case (let directory?, false): .success(.directory(directory))
        }
    }
}
