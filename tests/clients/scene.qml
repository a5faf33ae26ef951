// SPDX-License-Identifier: MIT
// A still picture of Qt Quick, saved as PICTURE.
import QtQuick 2.15
import QtQuick.Window 2.15

Window {
    width: 320
    height: 240
    visible: true
    Rectangle {
        id: root
        width: 320
        height: 240
        gradient: Gradient {
            GradientStop { position: 0; color: "#204080" }
            GradientStop { position: 1; color: "#e0a030" }
        }
        Rectangle {
            x: 40; y: 40; width: 120; height: 80
            color: "#c0ff4040"
            radius: 12
            rotation: 20
            border { width: 3; color: "white" }
            antialiasing: true
        }
        Rectangle { x: 180; y: 120; width: 90; height: 90; color: "#8040ff80"; radius: 45 }
    }
    Timer {
        interval: 500
        running: true
        onTriggered: root.grabToImage(function(result) {
            result.saveToFile("PICTURE")
            Qt.quit()
        })
    }
}
