// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

let service: BluetoothID = "4C414E59-4152-4400-A000-000000001D00"
let inbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D01"
let outbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D02"
let secret: BluetoothID = "4C414E59-4152-4400-A000-000000001D03"
struct Note: Codable { var text: String }
@Sendable func say(_ text: String) {
    print(text)
    fflush(nil)  // at once, even if the output is a pipe
}

var box = AccessoryDescription(
    kind: "message box",
    matching: .service(service),
    services: [ServiceDescription(service, [.write(inbox), .subscribe(outbox), .read(secret)])]
)
box.pairing = .required(probing: secret)  // only a paired central may read it

await Lanyard.run {
    let central = AccessoryCentral(for: [box], configuration: .init(name: "message-box-example"))
    let accessory = try await central.accessory(box)  // known from an earlier run, or paired now
    let observation = accessory.onChange { say("\($0)") }
    defer { observation.cancel() }
    let messages = accessory.messages(writing: inbox, listening: outbox)
    for number in 1... {
        try await accessory.untilReady()  // again after a lost link
        do {
            let note = Note(text: "Hello \(number)")
            let answer = try await messages.request(note, expecting: Note.self)
            say("The box says: \(answer.text)")
            try await Task.sleep(for: .seconds(1))
        } catch MessageError.disconnected, MessageError.timeout {
            say("No answer to \(number)")
        }
    }
}
