// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct ExploreCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Shows everything an accessory has: services, characteristics, values."
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let session = try options.session(on: console)
        let progress = ProgressLine(console: console)
        try await session.withLink(to: target) { link, found in
            let explorer = Explorer(
                accessory: link,
                limits: session.limits,
                progress: { progress.show($0) }
            )
            let exploration = try await explorer.explore(advertisedName: found.name)
            progress.clear()
            try console.print(options.json ? exploration.json.indented : exploration.tree.text)
        }
    }
}
